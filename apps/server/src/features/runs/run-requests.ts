import type { runScript, sendCommand, testScript } from '@muster/contract/api/runs'
import type { RunAsUser } from '@muster/contract/agent/shells'
import { AppError } from '@muster/contract/errors'
import type { Parsed } from '@muster/contract/endpoint'
import { platformName, scriptFitsPlatform } from '@muster/rules/agents/available-actions'
import type { Context } from '../../context.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import { authorOf, type Caller } from '../../platform/http/caller.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { completeEnvironment } from '../scripts/complete-environment.ts'
import { loadSnippets } from '../scripts/expand-script.ts'
import { fillVariables, openVariables } from '../scripts/fill-variables.ts'
import type { RunCaller, RunRequest } from './create-run.ts'
import { OUTPUT_CAP_BYTES } from './store-run-reports.ts'

const DEFAULT_COMMAND_TIMEOUT_SECONDS = 30
const DEFAULT_TEST_TIMEOUT_SECONDS = 90
const MAX_BODY_LENGTH = 1_000_000

export function commandOrder(
  agent: AgentWithSite,
  caller: RunCaller,
  body: Parsed<typeof sendCommand>['body'],
): RunRequest {
  const windowsOnly = body.shell === 'cmd'
  const unixOnly = body.shell === 'bash' || body.shell === 'sh'
  if ((windowsOnly && agent.plat !== 'windows') || (unixOnly && agent.plat === 'windows')) {
    throw new AppError(
      'invalid',
      `${agent.hostname} runs ${platformName(agent.plat)} and has no ${body.shell}. Choose another shell.`,
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
        run_as_user: runAsUser(body.run_as_user),
        timeout_seconds: body.timeout ?? DEFAULT_COMMAND_TIMEOUT_SECONDS,
        output_cap_bytes: OUTPUT_CAP_BYTES,
      },
    },
  }
}

/** Parts of a script call that only the server adds. */
export interface KnownToServer {
  /** Values of `{{alert.x}}`. */
  alert?: Readonly<Record<string, string>>
  /** KEY=VALUE, used literally: variables are not replaced. */
  env_vars?: readonly string[]
}

export async function scriptOrder(
  ctx: Pick<Context, 'db' | 'secrets'>,
  agent: AgentWithSite,
  caller: ScriptCaller,
  body: ScriptBody,
): Promise<RunRequest> {
  const orderOf = await openScriptOrders(ctx, caller, { agentIds: [agent.agent_id], body })
  return orderOf(agent)
}

type ScriptCaller = RunCaller & Pick<Caller, 'apiKey'> & { userId: number | null }
type ScriptBody = Parsed<typeof runScript>['body'] & { known?: KnownToServer }

/**
 * Reads a script and the values of its variables once, for these machines. The result makes the order of each, or
 * throws why the script cannot run there.
 */
export async function openScriptOrders(
  ctx: Pick<Context, 'db' | 'secrets'>,
  caller: ScriptCaller,
  { agentIds, body: { known = {}, ...body } }: { agentIds: readonly string[]; body: ScriptBody },
): Promise<(agent: AgentWithSite) => RunRequest> {
  const { db } = ctx
  const script = requireRow(
    await db.selectFrom('scripts').selectAll().where('id', '=', body.script).executeTakeFirst(),
    'script',
  )
  // JSON columns, written by the scripts feature from the contract's lists.
  const platforms = JSON.parse(script.supported_platforms) as ('windows' | 'linux' | 'darwin')[]
  const asked = {
    args: body.args ?? (JSON.parse(script.args) as string[]),
    env_vars: completeEnvironment(script, body.env_vars ?? (JSON.parse(script.env_vars) as string[])),
  }
  const { shell } = script
  const author = authorOf(caller)
  const fill = await openVariables(ctx, db, {
    agentIds,
    author,
    call: { ...asked, ...(known.alert && { alert: known.alert }) },
  })
  const text = requireFitting((await loadSnippets(db))(script.script_body), script.name)
  return (agent) => {
    if (!scriptFitsPlatform(platforms, agent.plat)) {
      throw new AppError(
        'invalid',
        `${script.name} does not support ${platformName(agent.plat)}. Choose another script.`,
        {
          fields: { script: ['Choose a script for this platform.'] },
        },
      )
    }
    const target = { agentId: agent.agent_id, hostname: agent.hostname, shell, author }
    const { args, env_vars, shown, secrets } = fill(target)
    return {
      agent,
      caller,
      label: {
        command: script.name,
        shell,
        args: shown.args,
        script: { id: script.id, name: script.name },
      },
      expiresInSeconds: body.expires_in,
      saveAsNote: body.output === 'note',
      work: {
        name: 'run-script',
        input: {
          interpreter: shell,
          body: text,
          args,
          env_vars: [...env_vars, ...(known.env_vars ?? [])],
          ...(secrets.length === 0 ? {} : { secrets }),
          run_as_user: runAsUser(body.run_as_user ?? script.run_as_user === 1),
          timeout_seconds: body.timeout ?? script.default_timeout,
          output_cap_bytes: OUTPUT_CAP_BYTES,
        },
      },
    }
  }
}

/** Unsaved code, called and sent like a script of the library. */
export async function testOrder(
  ctx: Pick<Context, 'db' | 'secrets'>,
  agent: AgentWithSite,
  caller: Caller,
  body: Parsed<typeof testScript>['body'],
): Promise<RunRequest> {
  const target = {
    agentId: agent.agent_id,
    hostname: agent.hostname,
    shell: body.shell,
    author: authorOf(caller),
  }
  const asked = { args: body.args, env_vars: body.env_vars ?? [] }
  const { args, env_vars, shown, secrets } = await fillVariables(ctx, ctx.db, target, asked)
  const expand = await loadSnippets(ctx.db)
  return {
    agent,
    caller,
    label: { command: 'Test of a script', shell: body.shell, args: shown.args },
    expiresInSeconds: body.expires_in,
    saveAsNote: false,
    work: {
      name: 'run-script',
      input: {
        interpreter: body.shell,
        body: requireFitting(expand(body.code), 'The script'),
        args,
        env_vars,
        ...(secrets.length === 0 ? {} : { secrets }),
        run_as_user: runAsUser(body.run_as_user),
        timeout_seconds: body.timeout ?? DEFAULT_TEST_TIMEOUT_SECONDS,
        output_cap_bytes: OUTPUT_CAP_BYTES,
      },
    },
  }
}

function requireFitting(body: string, name: string): string {
  if (body.length <= MAX_BODY_LENGTH) return body
  throw new AppError('invalid', `${name} is too long, including its snippets.`)
}

/** A name is used as given. `true` is the user who is signed in when it starts, whom only the machine knows. */
function runAsUser(account: boolean | string | undefined): RunAsUser | null {
  if (account === undefined || account === false || account === '') return null
  return account === true ? { signed_in: true } : account
}
