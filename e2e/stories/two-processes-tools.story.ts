import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { beginUpload, finishUpload, startDownload, UPLOAD_BYTES_PATH } from '@muster/contract/api/files'
import { watchProcesses } from '@muster/contract/api/processes'
import {
  getSessionChanges,
  getRecording,
  getScreenRecording,
  listRemoteSessions,
} from '@muster/contract/api/remote'
import { setRemoteAccess } from '@muster/contract/api/remote-access'
import { expect } from '@playwright/test'
import { addColleague, joinTerminal } from '../support/colleague.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { test } from '../support/story.ts'

// Several processes need PostgreSQL and NATS: on the default deployment there is nothing to prove.
const deployments = process.env['MUSTER_TEST_POSTGRES'] === undefined ? [] : ['PostgreSQL and NATS']

for (const name of deployments) {
  test(`two servers on ${name}: desktop, shared terminals, files and processes work across both`, async ({
    server: one,
    admin,
    deployment,
    openConsole,
  }) => {
    await using display = await TestDisplay.open({ size: '800x600' })
    await using two = await startServer({ env: { ...deployment.env, MUSTER_DATA: one.dataFolder } })
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-two-')))
    await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    await using agent = await startAgent({ server: two.url, token, env: { DISPLAY: display.name } })
    await expect.poll(async () => (await admin.call(listAgents, { query: {} })).length).toBe(1)
    const agent_id = (await admin.call(listAgents, { query: {} }))[0]?.agent_id ?? ''
    const params = { agent_id }
    const elsewhere = await signIn(two.url, one.admin)
    const sessionOf = async (tool: string) =>
      (await elsewhere.call(listRemoteSessions, { params })).find(
        (session) => session.tool === tool && session.username === 'admin' && session.ended_at !== null,
      )?.id ?? ''

    await test.step('a desktop is seen, typed into and recorded; the other server plays it', async () => {
      await admin.call(setRemoteAccess, {
        params: { level: 'agent', id: agent_id },
        body: {
          forbidden: null,
          hours: null,
          consent: null,
          consent_seconds: null,
          banner: null,
          record_desktops: 'all',
        },
      })
      const page = await openConsole({ as: admin, path: `/takecontrol/${agent_id}` })
      const canvas = page.getByRole('application', { name: 'Screen of the machine' })
      const look = () =>
        // A canvas, which the types of Node do not know.
        canvas.evaluate((node) => (node as unknown as { toDataURL: () => string }).toDataURL())
      await expect(canvas).toBeFocused()
      // Below the note that who sits there has about being recorded, and only once that is drawn.
      for (let line = 0; line < 8; line += 1) await page.keyboard.press('Enter')
      let before = ''
      const isQuiet = async () => {
        const earlier = before
        before = await look()
        return earlier === before
      }
      await expect.poll(isQuiet, { intervals: [500] }).toBe(true)
      await page.keyboard.type('#')
      await expect.poll(look).not.toBe(before)
      await page.close()
      await expect.poll(() => sessionOf('desktop')).not.toBe('')
      const played = { params: { id: await sessionOf('desktop') }, query: {} }
      await expect
        .poll(async () => (await elsewhere.call(getScreenRecording, played)).events.length)
        .toBeGreaterThan(1)
    })

    await test.step('a colleague at the other server types in a terminal of this one; recording and session changes', async () => {
      const page = await openConsole({ as: admin, path: `/remotebackground/${agent_id}` })
      await expect(page.locator('.xterm-rows')).toContainText(/[$#] *$/)
      const ben = await openConsole({
        as: await addColleague(admin, two.url),
        baseURL: two.url,
        path: `/remotebackground/${agent_id}`,
      })
      await expect(ben.locator('.xterm-rows')).toContainText(/[$#] *$/)
      await joinTerminal(ben, 'Type into the terminal of admin')
      await expect(page.getByText('admin opened it · Ben (ben) types')).toBeVisible()
      await ben.keyboard.type('echo "typed by ben $((40 + 3))"\n')
      await expect(page.locator('.xterm-rows')).toContainText('typed by ben 43')
      await ben.close()
      await page.locator('.xterm').click()
      await page.keyboard.type('exit\n')
      await expect(page.getByText('The shell has ended. Exit code 0.')).toBeVisible()
      await expect.poll(() => sessionOf('terminal')).not.toBe('')
      const at = { params: { id: await sessionOf('terminal') } }
      const { events } = await elsewhere.call(getRecording, { ...at, query: {} })
      expect(events.map(([, , text]) => text).join('')).toContain('typed by ben 43')
      const changes = () => elsewhere.call(getSessionChanges, at).then(({ parts }) => parts.files.state)
      // The scan runs at low priority.
      await expect(async () => expect(await changes()).toBe('collected')).toPass()
    })

    await test.step('a file goes up in two parts and comes down, and processes are followed', async () => {
      const bytes = randomBytes(3_000_000)
      const raw = Buffer.from(join(folder, 'file.bin')).toString('base64url')
      const begun = await admin.call(beginUpload, { params, body: { path: raw, size: bytes.length } })
      const { upload } = begun
      for (const [offset, end] of [
        [0, 1_000_000],
        [1_000_000, bytes.length],
      ] as const) {
        const path = UPLOAD_BYTES_PATH.replace(':agent_id', agent_id).replace(':upload', upload)
        const answer = await fetch(`${one.url}${path}?path=${raw}&offset=${offset}`, {
          method: 'PUT',
          headers: { ...admin.headers(), origin: one.url, 'content-type': 'application/octet-stream' },
          body: new Uint8Array(bytes.subarray(offset, end)),
        })
        expect(await answer.json()).toEqual({ size: end })
      }
      const body = { path: raw, size: bytes.length, hash: null }
      await admin.call(finishUpload, { params: { agent_id, upload }, body })
      expect((await readFile(join(folder, 'file.bin'))).equals(bytes)).toBe(true)
      const { url } = await admin.call(startDownload, { params, body: { path: raw, archive: false } })
      const saved = await fetch(one.url + url, { headers: admin.headers() })
      expect(Buffer.from(await saved.arrayBuffer()).equals(bytes)).toBe(true)
      const first = await admin.call(watchProcesses, { params, query: {} })
      const next = await admin.call(watchProcesses, { params, query: { after: first.next } })
      expect([first.whole, next.connected]).toEqual([true, true])
    })
    agent.expectCleanLog()
    expect(await two.stop()).toBe(0)
    two.expectCleanLog()
  })
}
