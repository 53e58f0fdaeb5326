import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename } from 'node:path'
import { windows } from '../src/os/windows.ts'
import { findSession } from '../src/os/windows/session-process.ts'
import { loadSessionCalls } from '../src/os/windows/session-calls.ts'
import { describeSession, findWindowsSignedIn } from '../src/os/windows/session-run.ts'
import { prepareCommand, prepareScript, type PreparedRun } from '../src/run/prepare-run.ts'
import { startProcess } from '../src/run/run-process.ts'
import { readSessions } from '../src/os/windows/sessions.ts'

/** `cmd`, `script`: run in the session as its user. `killAfter`: output that ends it as a whole. */
export type SessionStep =
  | { cmd: string; killAfter?: string }
  | { script: string; args: string[] }
  | { read: 'own' | 'session' | 'sessions' }

const [, , input = '', output = ''] = process.argv
const steps = JSON.parse(readFileSync(input, 'utf8')) as SessionStep[]
const dataFolder = 'C:\\ProgramData\\Muster Session Test'
/** In Wine the service and the user share one session, so the agent's own answer is that it needs none. */
const os = { ...windows, findSignedIn: async () => describeSession(findSession(await loadSessionCalls())) }
const answers: unknown[] = []
for (const step of steps) answers.push((await take(step)) ?? null)
writeFileSync(output, JSON.stringify(answers))

async function take(step: SessionStep): Promise<unknown> {
  if ('read' in step) {
    if (step.read === 'own') return findWindowsSignedIn()
    if (step.read === 'sessions') return readSessions()
    const { session, env } = await os.findSignedIn()
    return { ...session, name: env.USERNAME ?? userInfo().username, path: env.PATH ?? env.Path }
  }
  const common = { env_vars: ['GREETING=hällo 雪'], run_as_user: { signed_in: true } as const }
  if ('cmd' in step)
    return run(
      await prepareCommand(
        { ...common, shell: 'cmd', custom_shell: null, cmd: step.cmd },
        { dataFolder, os },
      ),
      step.killAfter,
    )
  const { script: body, args } = step
  return run(await prepareScript({ ...common, interpreter: 'cmd', body, args }, { dataFolder, os }))
}

async function run(prepared: PreparedRun, killAfter?: string) {
  using files = prepared
  const text = { stdout: '', stderr: '' }
  const started = await startProcess({
    plan: files.plan,
    marker: `marker-${answers.length}`,
    pipes: undefined,
    os,
    onOutput(stream, bytes) {
      text[stream] += bytes.toString()
      if (killAfter !== undefined && text.stdout.includes(killAfter)) void started.kill()
    },
  })
  const end = await started.ended
  return { ...end, ...text, hasSession: files.plan.session !== undefined, cwd: basename(files.plan.cwd) }
}
