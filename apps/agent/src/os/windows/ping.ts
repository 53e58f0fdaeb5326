import type { PingAnswer } from '../probes.ts'

const PACKETS = 3

/**
 * The output of `ping -n 3` in any language: a reply is a line with one time in milliseconds, the summary has three.
 * A single line means that the name cannot be resolved.
 */
export function parseWindowsPing(output: string): PingAnswer {
  const lines = output.split(/\r?\n/).filter((line) => line.trim() !== '')
  const times = lines.flatMap((line) => {
    const [first, ...more] = [...line.matchAll(/[=<]\s?(\d+)\s?ms/gi)]
    return first === undefined || more.length > 0 ? [] : [Number(first[1])]
  })
  const sent = lines.length > 1 ? PACKETS : 0
  const received = Math.min(times.length, sent)
  const ms = received === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length
  return { sent, received, ms, output }
}
