import { createAlertTemplate } from '@muster/contract/api/alert-templates'
import { createPolicy } from '@muster/contract/api/policies'
import { createCheck } from '@muster/contract/api/checks'
import {
  createScript,
  deleteScript,
  editScript,
  listScriptVersions,
  restoreScriptVersion,
} from '@muster/contract/api/scripts'
import { editCoreSettings } from '@muster/contract/api/settings'
import { createSnippet, deleteSnippet, editSnippet, listSnippets } from '@muster/contract/api/snippets'
import { createTask, TASK_DEFAULTS } from '@muster/contract/api/tasks'
import { PERMISSIONS, type Permission } from '@muster/contract/permissions'
import { NO_CONTENT } from '@muster/contract/policies/policy-content'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const AUTHOR: Permission[] = ['can_list_scripts', 'can_manage_scripts']

async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const root = server.as(await given.user({ superuser: true }))
  const agent = await given.agent({ hostname: 'web-01' })
  const { body: script } = await root.call(createScript, {
    body: { name: 'Clean', shell: 'shell', script_body: 'echo {{log}}' },
  })
  return {
    server,
    given,
    root,
    agent,
    script,
    params: { id: script.id },
    author: async (...more: Permission[]) =>
      server.as(await given.user({ permissions: [...AUTHOR, ...more] })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
type Bench = Awaited<ReturnType<typeof prepare>>

const scriptCheck = (script: number) => ({
  check_type: 'script' as const,
  script,
  script_args: [],
  env_vars: [],
  timeout: 30,
  success_return_codes: [],
  metric_thresholds: [],
  info_return_codes: [],
  warning_return_codes: [],
})
const scriptAction = (script: number) => ({
  type: 'script' as const,
  script,
  script_args: [],
  env_vars: [],
  timeout: 30,
})

const USES: [what: string, use: (bench: Bench) => Promise<unknown>, sentence: string, needed: Permission][] =
  [
    [
      'a task',
      ({ root, agent, script }) =>
        root.call(createTask, {
          body: {
            ...TASK_DEFAULTS,
            agent: agent.agent_id,
            name: 'Nightly',
            task_type: 'manual',
            actions: [scriptAction(script.id)],
          },
        }),
      'The task "Nightly" on web-01 runs it. Your role needs can_run_scripts to change it.',
      'can_run_scripts',
    ],
    [
      'a check',
      ({ root, agent, script }) =>
        root.call(createCheck, {
          body: { agent: agent.agent_id, settings: scriptCheck(script.id) },
        }),
      'A check on web-01 runs it. Your role needs can_run_scripts to change it.',
      'can_run_scripts',
    ],
    [
      'a check of a policy',
      ({ root, script }) =>
        root.call(createPolicy, {
          body: {
            name: 'Base',
            content: {
              ...NO_CONTENT,
              checks: [{ settings: scriptCheck(script.id) }],
            },
          },
        }),
      'The policy "Base" runs it. Your role needs can_run_scripts to change it.',
      'can_run_scripts',
    ],
    [
      'a task of a policy',
      ({ root, script }) =>
        root.call(createPolicy, {
          body: {
            name: 'Base',
            content: {
              ...NO_CONTENT,
              tasks: [
                {
                  task: {
                    ...TASK_DEFAULTS,
                    name: 'Nightly',
                    task_type: 'manual',
                    actions: [scriptAction(script.id)],
                  },
                },
              ],
            },
          },
        }),
      'The policy "Base" runs it. Your role needs can_run_scripts to change it.',
      'can_run_scripts',
    ],
    [
      'an alert template',
      ({ root, script }) =>
        root.call(createAlertTemplate, { body: { name: 'Night', action_type: 'script', action: script.id } }),
      'The alert template "Night" runs it. Your role needs can_run_scripts to change it.',
      'can_run_scripts',
    ],
    [
      'an alert template on the server',
      async ({ root, script }) => {
        await root.call(editCoreSettings, { body: { enable_server_scripts: true } })
        return root.call(createAlertTemplate, {
          body: { name: 'Night', resolved_action_type: 'server', resolved_action: script.id },
        })
      },
      'The alert template "Night" runs it on the server. Your role needs can_run_server_scripts to change it.',
      'can_run_server_scripts',
    ],
  ]

test.each(USES)(
  'a script that %s runs is changed, restored and deleted only with the right to run it there',
  async (_, use, sentence, needed) => {
    await using bench = await prepare()
    const { author, root, params, script } = bench
    await root.call(editScript, { params, body: { script_body: 'echo 2 {{log}}' } })
    expect(await use(bench)).toMatchObject({ status: 200 })
    const limited = await author(
      ...(['can_run_scripts', 'can_run_server_scripts'] as const).filter((name) => name !== needed),
    )
    const [, first] = (await root.call(listScriptVersions, { params })).body
    const restore = { params: { id: script.id, version_id: first?.id ?? 0 }, body: {} }
    const refused = {
      status: 403,
      error: { code: 'not_allowed', detail: `This script is in use. ${sentence}` },
    }
    expect(await limited.call(editScript, { params, body: { script_body: 'id' } })).toMatchObject(refused)
    expect(await limited.call(editScript, { params, body: { shell: 'python' } })).toMatchObject(refused)
    expect(await limited.call(restoreScriptVersion, restore)).toMatchObject(refused)
    expect(await limited.call(deleteScript, { params })).toMatchObject(refused)
    // An unused script can be changed.
    expect(await limited.call(editScript, { params, body: { description: 'Tidies up' } })).toMatchObject({
      status: 200,
    })
    const allowed = await author(needed)
    expect(await allowed.call(editScript, { params, body: { script_body: 'id' } })).toMatchObject({
      status: 200,
    })
    expect(await allowed.call(restoreScriptVersion, restore)).toMatchObject({ status: 200 })
    expect(await allowed.call(deleteScript, { params })).toMatchObject({ status: 200 })
  },
)

test.each(USES)(
  'a snippet in a script that %s runs is written only with the right to run it there',
  async (_, use, sentence, needed) => {
    await using bench = await prepare()
    const { author, root } = bench
    expect(await use(bench)).toMatchObject({ status: 200 })
    const limited = await author(
      ...(['can_run_scripts', 'can_run_server_scripts'] as const).filter((name) => name !== needed),
    )
    const allowed = await author(needed)
    const log = { name: 'log', shell: 'shell' as const, code: 'logger' }
    const refused = {
      status: 403,
      error: { detail: `The script "Clean", which includes this snippet, is in use. ${sentence}` },
    }
    // A new snippet fills a gap in the script.
    expect(await limited.call(createSnippet, { body: log })).toMatchObject(refused)
    const { body: other } = await limited.call(createSnippet, { body: { ...log, name: 'other' } })
    expect(
      await limited.call(editSnippet, { params: { id: other.id }, body: { name: 'log' } }),
    ).toMatchObject(refused)
    const { body: snippet } = await allowed.call(createSnippet, { body: log })
    const params = { id: snippet.id }
    expect(await limited.call(editSnippet, { params, body: { code: 'id' } })).toMatchObject(refused)
    expect(await limited.call(editSnippet, { params, body: { name: 'gone' } })).toMatchObject(refused)
    expect(await limited.call(deleteSnippet, { params })).toMatchObject(refused)
    expect(await limited.call(editSnippet, { params, body: { desc: 'Writes a line' } })).toMatchObject({
      status: 200,
    })
    expect(await limited.call(deleteSnippet, { params: { id: other.id } })).toMatchObject({ status: 200 })
    expect(await allowed.call(editSnippet, { params, body: { code: 'id' } })).toMatchObject({ status: 200 })
    expect(await allowed.call(deleteSnippet, { params })).toMatchObject({ status: 200 })
    expect((await root.call(listSnippets, {})).body).toEqual([])
  },
)

test('a role limited to one client writes no script and no snippet', async () => {
  await using bench = await prepare()
  const { server, given, root, params, script } = bench
  const client = await given.client()
  const { body: snippet } = await root.call(createSnippet, {
    body: { name: 'log', shell: 'shell', code: 'logger' },
  })
  await root.call(editScript, { params, body: { script_body: 'echo 2' } })
  const [, first] = (await root.call(listScriptVersions, { params })).body
  const limited = server.as(await given.user({ permissions: PERMISSIONS, clients: [client.id] }))
  const answers = [
    await limited.call(createScript, { body: { name: 'Own', shell: 'shell', script_body: 'id' } }),
    await limited.call(editScript, { params, body: { script_body: 'id' } }),
    await limited.call(restoreScriptVersion, {
      params: { id: script.id, version_id: first?.id ?? 0 },
      body: {},
    }),
    await limited.call(deleteScript, { params }),
  ]
  for (const answer of answers)
    expect(answer).toMatchObject({
      status: 403,
      error: {
        detail:
          'Scripts may affect every client, and your role is limited to some of them. Ask an administrator.',
      },
    })
  const ofSnippet = { params: { id: snippet.id } }
  const others = [
    await limited.call(createSnippet, { body: { name: 'own', shell: 'shell', code: 'id' } }),
    await limited.call(editSnippet, { ...ofSnippet, body: { code: 'id' } }),
    await limited.call(deleteSnippet, ofSnippet),
  ]
  for (const answer of others)
    expect(answer).toMatchObject({
      status: 403,
      error: {
        detail:
          'Snippets may affect every client, and your role is limited to some of them. Ask an administrator.',
      },
    })
})
