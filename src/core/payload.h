/*
 * payload.h - what fills a data frame behind its header.
 *
 * Purpose    bytes that no link compresses and that the receiver can check:
 *            both ends make the same pattern from the run's seed; the byte
 *            at offset i of every frame is byte i of the pattern.
 * Source     splitmix64 (Steele, Lea, Flood 2014), one 64-bit
 *            output for 8 bytes, big-endian.
 * Memory     the caller's.
 */
#ifndef PACE_CORE_PAYLOAD_H
#define PACE_CORE_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

/* Fill buf[0 .. size) with the pattern of seed. */
void	pace_payload_fill(uint8_t *buf, size_t size, uint64_t seed);

#endif
