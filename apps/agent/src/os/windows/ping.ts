import type { PingAnswer } from '../probes.ts'

const PACKETS = 3

/**
 * The output of `ping -n 3`, in whatever language Windows speaks: an answer is a line with one time in milliseconds,
 * the summary has three of them. One line alone says that the name cannot be found.
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
