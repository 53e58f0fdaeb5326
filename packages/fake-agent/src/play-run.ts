import type { CommandInput } from '@muster/contract/agent/commands'

/** The simulated run of a command: pieces of output with their times, and the end. */
export interface PlannedRun {
  output: { afterMs: number; stream: 'stdout' | 'stderr'; text: string }[]
  endsAfterMs: number
  outcome: 'exited' | 'timed_out' | 'refused' | 'failed'
  retcode: number | null
  reason: string | null
}

type RunInput = CommandInput<'run-command'> | CommandInput<'run-script'>

/**
 * Simulates a command with a very small shell: `true`, `false`, `exit N`, `sleep N`, `echo TEXT`, `fail TEXT` (to
 * stderr), `hostname`, `lines N`. Other statements are printed. Newlines, `;` and `&&` separate statements.
 */
export function planRun(input: RunInput, hostname: string): PlannedRun {
  const run: PlannedRun = { output: [], endsAfterMs: 0, outcome: 'exited', retcode: 0, reason: null }
  const text = 'cmd' in input ? input.cmd : input.body
  for (const statement of text.split(/\n|;|&&/)) {
    if (!playStatement(run, statement.trim(), hostname)) break
  }
  const limitMs = input.timeout_seconds * 1000
  if (run.endsAfterMs <= limitMs) return run
  return {
    output: run.output.filter((piece) => piece.afterMs <= limitMs),
    endsAfterMs: limitMs,
    outcome: 'timed_out',
    retcode: null,
    reason: `Timed out after ${input.timeout_seconds} seconds.`,
  }
}

/** false = the program ends here. */
function playStatement(run: PlannedRun, statement: string, hostname: string): boolean {
  const [, word = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(statement) ?? []
  const say = (stream: 'stdout' | 'stderr', text: string) =>
    run.output.push({ afterMs: run.endsAfterMs, stream, text: `${text}\n` })
  switch (word) {
    case '':
    case 'true':
    case ':':
      break
    case 'false':
      run.retcode = 1
      return false
    case 'exit':
      run.retcode = Number.parseInt(rest, 10) || 0
      return false
    case 'sleep':
      run.endsAfterMs += Math.max(0, Number.parseFloat(rest) || 0) * 1000
      break
    case 'echo':
      say('stdout', rest.replaceAll(/^["']|["']$/g, ''))
      break
    case 'fail':
      say('stderr', rest)
      break
    case 'hostname':
      say('stdout', hostname)
      break
    case 'lines':
      for (let line = 1; line <= Number.parseInt(rest, 10); line++) say('stdout', `line ${line}`)
      break
    default:
      if (!word.startsWith('#')) say('stdout', `${hostname} was asked to run: ${statement.slice(0, 200)}`)
  }
  return true
}
