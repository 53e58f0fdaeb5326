import type { FastifyRequest } from 'fastify'

/** Tags with and without `W/`. A comma may be a part of a tag. */
const TAGS = /(?:W\/)?"[^"]*"/g
const TAG_LIST = /^\s*(?:W\/)?"[^"]*"\s*(?:,\s*(?:(?:W\/)?"[^"]*"\s*)?)*$/

/**
 * Returns true if the client has what this tag names: `If-None-Match` is a list or `*`, and weak tags count, as proxies
 * that compress make tags weak (RFC 9110, 13.1.2).
 */
export function clientHas(tag: string, { headers }: FastifyRequest): boolean {
  const condition = headers['if-none-match']?.trim()
  if (condition === undefined) return false
  if (condition === '*') return true
  if (!TAG_LIST.test(condition)) return false
  return condition.match(TAGS)?.some((given) => bare(given) === bare(tag)) === true
}

const bare = (tag: string) => tag.replace(/^W\//, '')
