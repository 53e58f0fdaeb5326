import { realpathSync } from 'node:fs'
import { NotMeasuredError } from '../errors.ts'
import { describeMissing } from '../run/describe-missing.ts'
import { findProgram } from '../run/find-program.ts'
import type { PingResult } from './probes.ts'
import { firstLine, runTool } from './run-tool.ts'

const LIMIT_MS = 5000
const PACKETS = 3

/** `-W` is in seconds on Linux and in milliseconds on macOS, whose ping6 uses it for something else. */
export async function pingPosix(
  host: string,
  {
    signal,
    waitFor,
    program = 'ping',
  }: { signal: AbortSignal; waitFor: string | undefined; program?: string },
): Promise<PingResult> {
  const file = findProgram(program)
  if (file === undefined) throw new NotMeasuredError(describeMissing(program))
  // Resolving names in the output takes time. BusyBox never does.
  const numeric = /busybox/.test(realpathSync(file)) ? [] : ['-n']
  const patience = waitFor === undefined ? [] : ['-W', waitFor]
  const args = [...numeric, '-c', String(PACKETS), ...patience, '--', host]
  const { stdout, stderr, timedOut } = await runTool(file, args, { signal, timeoutMs: LIMIT_MS })
  const output = `${stdout}\n${stderr}`.trim()
  if (/permitted|permission denied|cap_net_raw/i.test(stderr))
    throw new NotMeasuredError(`The agent has no permission to send ping packets: ${firstLine(stderr)}`)
  const answer = parsePosixPing(output)
  if (answer !== undefined) return answer
  if (timedOut) return { ...countReplies(stdout), output: `${output}\nTimed out after 5 seconds.`.trim() }
  return { sent: 0, received: 0, ms: null, output: output || `ping printed nothing about ${host}.` }
}

/** The summary of ping on Linux (iputils, BusyBox, inetutils) and macOS; undefined if missing. */
export function parsePosixPing(output: string): PingResult | undefined {
  const [, sent, received] = /(\d+) packets transmitted, (\d+)(?: packets)? received/.exec(output) ?? []
  if (sent === undefined || received === undefined) return undefined
  const [, mean] = /min\/avg\/max\S* = [\d.]+\/([\d.]+)\//.exec(output) ?? []
  return {
    sent: Number(sent),
    received: Number(received),
    ms: mean === undefined ? null : Number(mean),
    output,
  }
}

/** For a ping that was killed before its summary, by slow DNS or a slow network. */
function countReplies(stdout: string): Omit<PingResult, 'output'> {
  const times = [...stdout.matchAll(/ time[=<]([\d.]+) ms/g)].map(([, ms]) => Number(ms))
  const hasStarted = /^PING6?[ (]/m.test(stdout)
  return {
    sent: hasStarted ? PACKETS : 0,
    received: times.length,
    ms: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0) / times.length,
  }
}
