import type { CheckDefinition, CheckResult } from '@muster/contract/agent/checks'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { TestServer } from './test-server.ts'

type Bare = CheckDefinition extends infer One
  ? One extends CheckDefinition
    ? Omit<One, 'id' | 'revision' | 'run_interval_seconds'>
    : never
  : never
type ScriptSettings = Extract<CheckDefinition, { check_type: 'script' }>['settings']

/** Definitions with ids from 1 on, which run once unless requested. */
export function givenChecks(...checks: (Bare & { run_interval_seconds?: number })[]): CheckDefinition[] {
  return checks.map(
    (check, index) =>
      // The parts of a definition. TypeScript does not rebuild a union.
      ({ run_interval_seconds: 86_400, revision: 'r1', ...check, id: index + 1 }) as CheckDefinition,
  )
}

export const cpuload = { check_type: 'cpuload', settings: {} } as const
export const memory = { check_type: 'memory', settings: {} } as const
export const script = (body: string, more: Partial<ScriptSettings> = {}) => ({
  check_type: 'script' as const,
  settings: { interpreter: 'shell' as const, body, args: [], env_vars: [], timeout_seconds: 30, ...more },
})

export function setChecks(
  server: TestServer,
  put: CheckDefinition[],
  more: Partial<CommandInput<'set-checks'>> = {},
): void {
  server.command(server.sign('set-checks', { version: 1, wanted: wantedOf(put), put, ...more }))
}

export const wantedOf = (checks: CheckDefinition[]) => checks.map(({ id, revision }) => ({ id, revision }))

export function resultsOf(server: TestServer, checkId?: number): CheckResult[] {
  return server.reports
    .flatMap((report) => (report.kind === 'checks' ? report.results : []))
    .filter(({ check_id }) => checkId === undefined || check_id === checkId)
}

export const untilResult = (server: TestServer, checkId: number, count = 1) =>
  server.until(() => resultsOf(server, checkId)[count - 1])
