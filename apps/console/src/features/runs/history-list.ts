import type { AgentHistory } from '@muster/contract/api/runs'
import { describeState, runLabel } from './run-state.ts'

export const TYPE_LABELS = {
  cmd_run: 'Command',
  script_run: 'Script',
  patch_install: 'Patches',
  package_install: 'Package',
  file_push: 'File',
}

/** Runs that contain all words: in the command, user, type or state. */
export function searchRuns(runs: readonly AgentHistory[], search: string): readonly AgentHistory[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return runs
  return runs.filter((run) => {
    const parts = [runLabel(run), run.username, TYPE_LABELS[run.type], describeState(run).label]
    const text = parts.join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The runs as rows of a file. */
export function historyTable(runs: readonly AgentHistory[]): string[][] {
  return [
    ['Time', 'Type', 'Command or script', 'User', 'State', 'Exit code', 'Seconds'],
    ...runs.map((run) => [
      run.time,
      TYPE_LABELS[run.type],
      runLabel(run),
      run.username,
      describeState(run).label,
      run.retcode === null ? '' : `${run.retcode}`,
      run.execution_time === null ? '' : `${run.execution_time}`,
    ]),
  ]
}
