#!/bin/sh
# A session of the Model Context Protocol as a client holds it, and the schemas it is offered.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
session=$scratch/session
{
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","id":"two","method":"tools/list"}'
    echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"explain","arguments":{"model":"llama-2-7b","gpus":8,"fix":["tp=2"],"offload":true}}}'
    echo '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"plan","arguments":{"model":"llama-2-7c","gpus":"8"}}}'
    echo '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm","arguments":{}}}'
    echo '{"jsonrpc":"2.0","id":6,"method":"resources/list"}'
    echo 'no message'
    echo '[{"jsonrpc":"2.0","id":7,"method":"ping"}]'
    echo ''
    printf '{"jsonrpc":"2.0","id":8,"method":"ping"}' # input ends without a newline
} >"$session"
"$ceiling" serve --stdio <"$session" >"$scratch/replies" 2>"$scratch/err"; status=$?
reply() { sed -n "$1p" "$scratch/replies"; }
check "it ends with its input" '[ $status -eq 0 ] && [ ! -s "$scratch/err" ]'
check "a reply to each request, none to a notification or an empty line" '[ "$(wc -l <"$scratch/replies")" -eq 9 ]'
check "the revision of the client" 'reply 1 | grep -q "^{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"tools\":{}}"'
check "tools with schemas" 'reply 2 | grep -q "\"id\":\"two\",\"result\":{\"tools\":\[{\"name\":\"plan\",.*\"inputSchema\":{\"type\":\"object\""'
check "the answer is the command line's" 'reply 3 | grep -q "\"isError\":false"'
check "a question that is wrong is an error of the tool, with its mend" 'reply 4 | grep -q "did you mean llama-2-7b.*\"isError\":true}}$"'
check "no such tool" 'reply 5 | grep -q "\"id\":5,\"error\":{\"code\":-32602"'
check "no such method" 'reply 6 | grep -q "\"id\":6,\"error\":{\"code\":-32601"'
check "what is no JSON" 'reply 7 | grep -q "\"id\":null,\"error\":{\"code\":-32700"'
check "no batches" 'reply 8 | grep -q "\"id\":null,\"error\":{\"code\":-32600"'
check "the last line needs no newline" '[ "$(reply 9)" = "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}" ]'
{ head -c 17000000 /dev/zero | tr '\0' ' '; echo; echo '{"jsonrpc":"2.0","id":9,"method":"ping"}'; } | "$ceiling" serve --stdio >"$scratch/replies"
check "a message without end is refused, the next is answered" 'reply 1 | grep -q "longer than 16 MiB" && reply 2 | grep -q "\"id\":9,\"result\""'
expect 2 err "serve --stdio" serve
"$ceiling" schema >"$scratch/schema"
check "schemas of flags" 'grep -q "\"global-batch\": {" "$scratch/schema" && grep -q "\"additionalProperties\": false" "$scratch/schema"'

# A client that others wrote: MCP_INSPECTOR=.../node_modules/.bin/mcp-inspector (npm: @modelcontextprotocol/inspector)
inspector=${MCP_INSPECTOR:-node_modules/.bin/mcp-inspector}
if [ -x "$inspector" ]; then
    inspect() { timeout 60 "$inspector" --cli "$ceiling" serve --stdio "$@" 2>/dev/null; }
    inspect --method tools/list >"$scratch/tools"
    check "the protocol's own inspector lists the tools" 'grep -q "\"name\": \"plan\"" "$scratch/tools" && grep -q "\"name\": \"demand\"" "$scratch/tools"'
    inspect --method tools/call --tool-name explain --tool-arg model=llama-2-7b --tool-arg gpus=8 >"$scratch/inspected"
    "$ceiling" explain llama-2-7b --gpus 8 --json >"$scratch/explain"
    check "and gets the bytes of the command line" 'node -e "process.stdout.write(JSON.parse(require(\"fs\").readFileSync(process.argv[1])).content[0].text)" "$scratch/inspected" | cmp -s - "$scratch/explain"'
    inspect --method tools/call --tool-name plan --tool-arg model=llama-2-7c >"$scratch/inspected"
    check "and an error of the tool" 'grep -q "did you mean llama-2-7b" "$scratch/inspected" && grep -q "\"isError\": true" "$scratch/inspected"'
else
    echo "skipped: a session of another client (npm install --no-save @modelcontextprotocol/inspector)"
fi

if ! command -v python3 >/dev/null 2>&1; then echo "skipped: schemas read by another program (no python3)"; finish; fi
"$ceiling" serve --stdio <"$session" | sed -n 3p >"$scratch/third"
"$ceiling" explain llama-2-7b --gpus 8 --fix tp=2 --offload --json >"$scratch/explain"
cat >"$scratch/look.py" <<'PY'
import json, sys
third, explain, schema, knobs = (open(name).read() for name in sys.argv[1:])
assert json.loads(third)["result"]["content"][0]["text"] == explain, "bytes"
tools = {tool["name"]: tool["inputSchema"] for tool in json.loads(schema)["tools"]}
wanted = {"plan", "explain", "scale", "size", "mixed", "demand", "diagnose", "improve", "collective", "portfolio", "measure", "read", "fleet"}
assert set(tools) == wanted, set(tools) ^ wanted
flags = {c["name"]: set(c["flags"]) for c in json.loads(knobs)["commands"]}
for name, tool in tools.items():
    assert set(tool["properties"]) - {"model", "config", "files"} == flags[name], name
    files = "files" in tool["properties"]
    assert tool["required"] == (["files"] if name == "read" else [] if files else ["model"]), name
PY
"$ceiling" params >"$scratch/knobs"
check "the bytes of the command line; every flag of every tool" 'python3 "$scratch/look.py" "$scratch/third" "$scratch/explain" "$scratch/schema" "$scratch/knobs"'
finish
