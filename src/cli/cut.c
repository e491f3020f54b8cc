#include "config.h"

#include "cli/cut.h"

#include <pthread.h>

volatile sig_atomic_t pace_cut;
volatile sig_atomic_t pace_cut_last;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool runs;
static size_t running;

static size_t told;
static bool told_alone;

void
pace_cut_begin(size_t index)
{
	pthread_mutex_lock(&lock);
	runs = true;
	running = index;
	pace_cut = 0;
	pthread_mutex_unlock(&lock);
}

bool
pace_cut_end(void)
{
	bool cut;

	pthread_mutex_lock(&lock);
	cut = pace_cut != 0;
	runs = false;
	pace_cut = 0;
	pthread_mutex_unlock(&lock);
	return cut;
}

bool
pace_cut_point(size_t index)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = runs && running == index;
	if (is)
		pace_cut = 1;
	pthread_mutex_unlock(&lock);
	return is;
}

void
pace_cut_tell(size_t skipped, bool alone)
{
	told = skipped;
	told_alone = alone;
}

size_t
pace_cut_told(bool *alone)
{
	size_t n = told;

	*alone = told_alone;
	told = 0;
	return n;
}
