import type { TerminalState } from './terminal-view.ts'

/** How a terminal stands, in a sentence. */
export function describeTerminal(state: TerminalState, hostname: string): string {
  switch (state.state) {
    case 'connecting':
      return `Connecting to ${hostname} ...`
    case 'asking':
      return `Waiting for the person at ${hostname} to allow it, ${state.seconds} seconds at most ...`
    case 'open':
      return `${howIn(state)} ${state.shell} as ${state.user} on ${hostname}`
    case 'lost':
      return 'The connection was lost. The terminal goes on for ten minutes; connecting again ...'
    case 'offline':
      return `${state.message} It will be tried again until the machine is back.`
    case 'ended':
      return state.exitCode === null ? state.message : `${state.message} Exit code ${state.exitCode}.`
    case 'refused':
      return state.message
  }
}

function howIn({ joined, resumed }: Extract<TerminalState, { state: 'open' }>): string {
  if (joined === 'view') return 'Looking on, without typing, in'
  if (joined === 'type') return 'Typing too in'
  return resumed ? 'Back in' : 'In'
}

/** `bash as root`, or nothing to say yet. */
export function nameShell(state: TerminalState): string {
  return state.state === 'open' ? `${fileName(state.shell)} as ${state.user}` : 'Shell'
}

/** The name of a program, whichever system its path is of. */
const fileName = (path: string) => path.split(/[/\\]/).at(-1) ?? path
