/* What names tell: communication or not, which operation, how many bytes. */
#include "record/kernels.h"
#include "record/trace.h"
#include "test.h"

static clg_csv table;

static clg_slice slice(const char *text) { return (clg_slice){text, strlen(text)}; }

static bool talks(const char *kernel, clg_operation want) {
    clg_kernel_class class = clg_trace_classify(&table, kernel);
    return class.communicates && class.operation == want;
}

static bool multiplies(const char *kernel) { return clg_trace_classify(&table, kernel).product; }

static bool computes(const char *kernel) {
    return !clg_trace_classify(&table, kernel).communicates;
}

int main(void) {
    clg_arena arena = {0};
    table = clg_trace_kernels(&arena);
    CASE("communication kernels");
    CHECK(talks("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", CLG_OPERATION_ALL_REDUCE));
    CHECK(talks("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", CLG_OPERATION_REDUCE_SCATTER));
    CHECK(talks("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", CLG_OPERATION_SEND_RECEIVE));
    CHECK(talks("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", CLG_OPERATION_UNKNOWN));
    CHECK(talks("void dpsk::ep::internode::combine<false, 8>(int4*)", CLG_OPERATION_COMBINE));
    CHECK(talks("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>()",
                CLG_OPERATION_ALL_REDUCE));
    CHECK(talks("void vllm::cross_device_reduce_1stage<half, 8>()", CLG_OPERATION_ALL_REDUCE));
    CASE("compute kernels");
    CHECK(computes("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>()"));
    CHECK(computes("void splitKreduce_kernel<float>()") && computes("ampere_sgemm_128x64_tn"));
    CASE("products, convolutions and attention");
    CHECK(multiplies("ampere_sgemm_128x64_tn") && multiplies("Cijk_Alik_Bljk_SB_MT64x16x32"));
    CHECK(multiplies("void cudnn::detail::dgrad_engine<float, 512>(int)"));
    CHECK(multiplies("_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd"));
    CHECK(multiplies("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausal"));
    CHECK(!multiplies("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(int)"));
    CHECK(!multiplies("void cuda::batched_transpose<512, 128>(char)") &&
          !multiplies("void convert_fp8_kernel<float>(float*)"));
    CASE("names that should be in the table are noticed");
    CHECK(clg_trace_suspicious("void my::fast_all_reduce<half>(half*)"));
    CHECK(!clg_trace_suspicious("void at::native::reduce_kernel<512, all_reduce>(int)"));
    CASE("bus bandwidth factors of nccl-tests");
    CHECK_NEAR(clg_trace_bus_factor(CLG_OPERATION_ALL_REDUCE, 8), 1.75, 1e-12);
    CHECK_NEAR(clg_trace_bus_factor(CLG_OPERATION_ALL_GATHER, 8), 0.875, 1e-12);
    CHECK(clg_trace_bus_factor(CLG_OPERATION_SEND_RECEIVE, 8) == 0);
    CASE("bytes of tensors");
    CHECK(clg_trace_tensor_bytes(slice("[[2048, 4, 4096]]"), slice("[\"c10::Half\"]")) == 67108864);
    CHECK(clg_trace_tensor_bytes(slice("[[6144], [], []]"),
                                 slice("[\"float\", \"Scalar\", \"\"]")) == 24576);
    CHECK(clg_trace_tensor_bytes(slice("[[[2, 2]], []]"), slice("[\"TensorList\", \"\"]")) == -1);
    CHECK(clg_trace_element_bytes(slice("BFloat16")) == 2);
    CHECK(clg_trace_element_bytes(slice("long int")) == 8);
    CASE("ranks in file names");
    CHECK(clg_trace_rank_of_name("a/rank-12.json.gz") == 12);
    CHECK(clg_trace_rank_of_name("rank9/worker3.pt.trace.json") == 3);
    CHECK(clg_trace_rank_of_name("megatron_kineto_5.json") == 5);
    CHECK(clg_trace_rank_of_name("rank_not_found.json") == -1);
    CHECK(clg_trace_rank_of_name("model__1016005.json.gz") == -1);
    CHECK(clg_trace_rank_of_name("host_123.1694.pt.trace.json") == -1);
    clg_arena_clear(&arena);
    return DONE;
}
