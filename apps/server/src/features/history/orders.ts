import type { runScript, sendCommand } from '@muster/contract/api/history'
import { AppError } from '@muster/contract/errors'
import type { Parsed } from '@muster/contract/endpoint'
import { scriptFitsPlatform } from '@muster/rules/script-can'
import { platformName } from '@muster/rules/platform-name'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AgentsRow } from '../agents/queries.ts'
import { readFacts } from '../agents/view.ts'
import type { RunOrder } from './send-run.ts'
import { OUTPUT_CAP_BYTES } from './store-run-reports.ts'

const DEFAULT_COMMAND_TIMEOUT_SECONDS = 30

export function commandOrder(
  agent: AgentsRow,
  caller: Pick<Caller, 'username' | 'source'>,
  body: Parsed<typeof sendCommand>['body'],
): RunOrder {
  const windowsOnly = body.shell === 'cmd'
  const unixOnly = body.shell === 'bash' || body.shell === 'sh'
  if ((windowsOnly && agent.plat !== 'windows') || (unixOnly && agent.plat === 'windows')) {
    throw new AppError(
      'invalid',
      `${agent.hostname} runs ${platformName(agent.plat)} and has no ${body.shell}.`,
      {
        fields: { shell: ['Choose a shell of this platform.'] },
      },
    )
  }
  return {
    agent,
    caller,
    label: {
      command: body.cmd,
      shell: body.shell === 'custom' ? (body.custom_shell ?? '') : body.shell,
      args: [],
    },
    expiresInSeconds: body.expires_in,
    saveAsNote: false,
    work: {
      name: 'run-command',
      input: {
        shell: body.shell,
        custom_shell: body.custom_shell ?? null,
        cmd: body.cmd,
        env_vars: body.env_vars ?? [],
        run_as_user: runAsUser(agent, body.run_as_user),
        timeout_seconds: body.timeout ?? DEFAULT_COMMAND_TIMEOUT_SECONDS,
        output_cap_bytes: OUTPUT_CAP_BYTES,
      },
    },
  }
}

export async function scriptOrder(
  db: Db,
  agent: AgentsRow,
  caller: Pick<Caller, 'username' | 'source'>,
  body: Parsed<typeof runScript>['body'],
): Promise<RunOrder> {
  const script = await db.selectFrom('scripts').selectAll().where('id', '=', body.script).executeTakeFirst()
  if (script === undefined) throw new AppError('not_found', 'There is no such script.')
  // JSON columns, written by the scripts feature from the contract's lists.
  const platforms = JSON.parse(script.supported_platforms) as ('windows' | 'linux' | 'darwin')[]
  if (!scriptFitsPlatform(platforms, agent.plat)) {
    throw new AppError('invalid', `${script.name} is not made for ${platformName(agent.plat)}.`, {
      fields: { script: ['Choose a script for this platform.'] },
    })
  }
  const args = body.args ?? (JSON.parse(script.args) as string[])
  return {
    agent,
    caller,
    label: { command: script.name, shell: script.shell, args, script: { id: script.id, name: script.name } },
    expiresInSeconds: body.expires_in,
    saveAsNote: body.output === 'note',
    work: {
      name: 'run-script',
      input: {
        interpreter: script.shell,
        body: script.script_body,
        args,
        env_vars: body.env_vars ?? (JSON.parse(script.env_vars) as string[]),
        run_as_user: runAsUser(agent, body.run_as_user ?? script.run_as_user === 1),
        timeout_seconds: body.timeout ?? script.default_timeout,
        output_cap_bytes: OUTPUT_CAP_BYTES,
      },
    },
  }
}

/** A name as given; `true` means the user who is logged in. */
function runAsUser(agent: AgentsRow, wish: boolean | string | undefined): string | null {
  if (wish === undefined || wish === false || wish === '') return null
  if (typeof wish === 'string') return wish
  const user = readFacts(agent)?.logged_in_user ?? null
  if (user === null) throw new AppError('invalid', `Nobody is logged in on ${agent.hostname}.`)
  return user
}
