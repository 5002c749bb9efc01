/* beliefs.h -- what is believed of a few unknown terms, and what a reading changes of it.
 *
 * Terms are normal around 0: logarithms of how much longer something takes than predicted. A
 * reading is a weighted sum of them plus noise, so how much it will narrow a belief does not depend
 * on what it will say: a plan of measurements can be made beforehand (linear Gaussian design:
 * Chaloner and Verdinelli 1995, Statistical Science 10:273; conditioning: Kalman 1960). Left out:
 * terms that act on each other, as hidden traffic that shows only once links are slow enough. */
#ifndef CLG_CALIBRATE_BELIEFS_H
#define CLG_CALIBRATE_BELIEFS_H

enum { CLG_BELIEF_TERMS = 16 };

typedef struct clg_beliefs {
    double covariance[CLG_BELIEF_TERMS][CLG_BELIEF_TERMS];
} clg_beliefs;

/* A weighted sum of terms; of a reading also the variance of its noise. */
typedef struct clg_belief_reading {
    double weight[CLG_BELIEF_TERMS];
    double noise;
} clg_belief_reading;

/* Covariance of two sums without their noise. */
double clg_beliefs_covariance(const clg_beliefs *beliefs, const clg_belief_reading *a,
                              const clg_belief_reading *b);

/* The beliefs once the reading is taken. One that says nothing, with no variance, changes nothing.
 */
void clg_beliefs_observe(clg_beliefs *beliefs, const clg_belief_reading *reading);

/* What is expected of a sum of terms once the reading said `surprise` more than was expected of it;
 * 0 where the reading says nothing. */
double clg_beliefs_expected(const clg_beliefs *before, const clg_belief_reading *reading,
                            double surprise, const clg_belief_reading *sum);

/* E[max(0, x)] of x normal around `mean`: what choosing by x is worth (Raiffa and Schlaifer 1961,
 * Applied Statistical Decision Theory, 5.4). */
double clg_beliefs_excess(double mean, double sigma);

/* Chance that the sign of x is told right, x normal around `mean` with variance before^2, by a
 * reading that leaves after^2 of it, after <= before. */
double clg_beliefs_right(double mean, double before, double after);

#endif
