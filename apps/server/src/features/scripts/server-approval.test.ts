import {
  createAlertTemplate,
  editAlertTemplate,
  listAlertTemplates,
  previewAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { createAlert, getAlert } from '@muster/contract/api/alerts'
import { listAudit } from '@muster/contract/api/audit'
import {
  approveScript,
  createScript,
  editScript,
  getScript,
  getScriptApproval,
  listScripts,
} from '@muster/contract/api/scripts'
import { editCoreSettings } from '@muster/contract/api/settings'
import { createSnippet, deleteSnippet, editSnippet } from '@muster/contract/api/snippets'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const NOT_RUN = 'Not run: the script changed and waits for approval.'

/** A script that the template "Night" runs on the server for every alert. */
async function prepare() {
  const server = await createTestServer()
  const { ctx, given } = server
  const root = server.as(await given.user({ superuser: true, username: 'ada' }))
  await root.call(editCoreSettings, { body: { enable_server_scripts: true } })
  const { body: snippet } = await root.call(createSnippet, {
    body: { name: 'greet', shell: 'shell', code: 'echo hello' },
  })
  const { body: script } = await root.call(createScript, {
    body: { name: 'Page', shell: 'shell', script_body: '{{greet}}\n' },
  })
  const { body: template } = await root.call(createAlertTemplate, {
    body: { name: 'Night', action_type: 'server', action: script.id },
  })
  await root.call(setDefaultTemplate, { body: { alert_template: template.id } })
  const params = { id: script.id }
  return {
    server,
    ctx,
    given,
    root,
    script,
    snippet,
    template,
    params,
    approval: async () => (await root.call(getScriptApproval, { params })).body,
    approve: async () => {
      const { current } = (await root.call(getScriptApproval, { params })).body
      return root.call(approveScript, { params, body: { hash: current.hash } })
    },
    /** The outcome of the action of a new alert, with the last line of its log. */
    run: async () => {
      const { id } = (
        await root.call(createAlert, { body: { message: 'The line is down', severity: 'error' } })
      ).body
      await ctx.jobs.drain()
      const { actions, log } = (await root.call(getAlert, { params: { id } })).body
      return { state: actions[0]?.state, output: actions[0]?.output, log: log.at(-1)?.text }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a script runs on the server in the version of the time when its template was saved', async () => {
  await using bench = await prepare()
  expect(await bench.approval()).toMatchObject({
    state: 'approved',
    approved: { code: 'echo hello\n', shell: 'shell', username: 'ada' },
    current: { code: 'echo hello\n', shell: 'shell' },
    templates: ['Night'],
  })
  expect(await bench.run()).toMatchObject({ state: 'done', output: 'hello\n' })
})

test('a changed script does not run on the server before it is approved', async () => {
  await using bench = await prepare()
  const { root, params, run, approval, approve } = bench
  await root.call(editScript, { params, body: { script_body: 'echo changed\n' } })
  expect(await run()).toEqual({
    state: 'failed',
    output: NOT_RUN,
    log: `Failure action "Page": ${NOT_RUN}`,
  })
  expect(await approval()).toMatchObject({
    state: 'waiting',
    approved: { code: 'echo hello\n' },
    current: { code: 'echo changed\n' },
  })
  expect((await root.call(getScript, { params })).body.server_approval).toBe('waiting')
  expect((await approve()).body).toMatchObject({ state: 'approved', approved: { code: 'echo changed\n' } })
  expect((await root.call(getScript, { params })).body.server_approval).toBe('approved')
  expect(await run()).toMatchObject({ state: 'done', output: 'changed\n' })
})

test.each([
  ['is changed', { code: 'echo other' }],
  ['has another name', { name: 'other' }],
  ['is deleted', undefined],
])('a script whose snippet %s waits for approval', async (_, change) => {
  await using bench = await prepare()
  const { root, snippet, run, approve } = bench
  const params = { id: snippet.id }
  if (change === undefined) await root.call(deleteSnippet, { params })
  else await root.call(editSnippet, { params, body: change })
  expect(await run()).toMatchObject({ state: 'failed', output: NOT_RUN })
  await approve()
  expect((await run()).output).not.toBe(NOT_RUN)
})

test('another shell is another version, another description is not', async () => {
  await using bench = await prepare()
  const { root, params, approval } = bench
  await root.call(editScript, { params, body: { description: 'Calls the night shift', favorite: true } })
  expect((await approval()).state).toBe('approved')
  await root.call(editScript, { params, body: { shell: 'python' } })
  expect((await approval()).state).toBe('waiting')
})

test('saving the template does not approve a waiting version', async () => {
  await using bench = await prepare()
  const { root, params, template, script, approval } = bench
  await root.call(editScript, { params, body: { script_body: 'echo changed\n' } })
  const ofTemplate = { params: { id: template.id } }
  await root.call(editAlertTemplate, { ...ofTemplate, body: { action_args: ['x'] } })
  await root.call(editAlertTemplate, { ...ofTemplate, body: { action_type: null } })
  await root.call(editAlertTemplate, { ...ofTemplate, body: { action_type: 'server', action: script.id } })
  expect((await approval()).state).toBe('waiting')
})

test('the lists of scripts and templates, and the preview, show waiting approvals', async () => {
  await using bench = await prepare()
  const { root, params, given } = bench
  await root.call(createScript, { body: { name: 'Other', shell: 'shell', script_body: 'true' } })
  const states = async () => {
    const scripts = (await root.call(listScripts, { query: {} })).body
    const [template] = (await root.call(listAlertTemplates, {})).body
    return {
      scripts: scripts.map(({ name, server_approval }) => [name, server_approval]),
      template: [template?.action_approval, template?.resolved_action_approval],
    }
  }
  expect(await states()).toEqual({
    scripts: [
      ['Other', null],
      ['Page', 'approved'],
    ],
    template: ['approved', null],
  })
  await root.call(editScript, { params, body: { script_body: 'echo changed\n' } })
  expect(await states()).toEqual({
    scripts: [
      ['Other', null],
      ['Page', 'waiting'],
    ],
    template: ['waiting', null],
  })
  const query = { agent: (await given.agent()).agent_id, alert_type: 'custom', severity: 'error' } as const
  expect((await root.call(previewAlertTemplate, { query })).body.failure_action).toBe(
    'The script "Page" on the server, changed and waiting for approval',
  )
})

test('approval needs can_run_server_scripts and a role with access to every client', async () => {
  await using bench = await prepare()
  const { server, given, root, params, approval } = bench
  await root.call(editScript, { params, body: { script_body: 'echo changed\n' } })
  const body = { hash: (await approval()).current.hash }
  const others = PERMISSIONS.filter((name) => name !== 'can_run_server_scripts')
  const author = server.as(await given.user({ permissions: others }))
  expect(await author.call(approveScript, { params, body })).toMatchObject({ status: 403 })
  const limited = server.as(
    await given.user({ permissions: PERMISSIONS, clients: [(await given.client()).id] }),
  )
  expect(await limited.call(approveScript, { params, body })).toMatchObject({
    status: 403,
    error: {
      detail:
        'Scripts on the server may affect every client, and your role is limited to some of them. Ask an administrator.',
    },
  })
  expect((await approval()).state).toBe('waiting')
})

test('only the version that was read can be approved, and the audit log has both', async () => {
  await using bench = await prepare()
  const { root, params, approval, approve } = bench
  const { hash } = (await approval()).current
  await root.call(editScript, { params, body: { script_body: 'echo changed\n' } })
  expect(await root.call(approveScript, { params, body: { hash } })).toMatchObject({
    status: 409,
    error: { code: 'changed_meanwhile' },
  })
  await approve()
  const { audit_logs } = (await root.call(listAudit, { body: {} })).body
  expect(audit_logs[0]).toMatchObject({
    username: 'ada',
    object_type: 'script',
    message: 'Approved the script "Page" to run on the server',
    before_value: { code: 'echo hello\n', shell: 'shell' },
    after_value: { code: 'echo changed\n', shell: 'shell' },
  })
})
