#include "config.h"

#include "run/point_control.h"

#include <pthread.h>

volatile sig_atomic_t pace_point_control;
volatile sig_atomic_t pace_point_control_last;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t runs;
static size_t running;

static volatile sig_atomic_t rest_due;
static void (*rest)(void);

static size_t reported;
static bool reported_alone;

void
pace_point_control_on_rest(int sig)
{
	(void)sig;
	rest_due = 1;
	if (runs)
		pace_point_control = 1;
}

bool
pace_point_control_rest_due(void)
{
	return rest_due != 0;
}

void
pace_point_control_rest_with(void (*with)(void))
{
	rest = with;
}

void
pace_point_control_rest(void)
{
	if (!rest_due)
		return;
	rest_due = 0;
	if (rest != NULL)
		rest();
}

void
pace_point_control_begin(size_t index)
{
	pthread_mutex_lock(&lock);
	running = index;
	pace_point_control = 0;
	runs = 1;
	if (rest_due)		/* the signal arrived before the point began */
		pace_point_control = 1;
	pthread_mutex_unlock(&lock);
}

bool
pace_point_control_end(void)
{
	bool cut;

	pthread_mutex_lock(&lock);
	runs = 0;
	cut = pace_point_control != 0;
	pace_point_control = 0;
	pthread_mutex_unlock(&lock);
	return cut;
}

bool
pace_point_control_point(size_t index)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = runs && running == index && index != PACE_POINT_CONTROL_UNNAMED;
	if (is)
		pace_point_control = 1;
	pthread_mutex_unlock(&lock);
	return is;
}

void
pace_point_control_report(size_t skipped, bool alone)
{
	reported = skipped;
	reported_alone = alone;
}

size_t
pace_point_control_reported(bool *alone)
{
	size_t n = reported;

	*alone = reported_alone;
	reported = 0;
	return n;
}
