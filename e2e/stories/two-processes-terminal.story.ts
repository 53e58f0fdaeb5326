import { readdirSync, readFileSync } from 'node:fs'
import { listAgents } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { endSession, listOwnSessions } from '@muster/contract/api/sessions'
import { expect } from '@playwright/test'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

// Several processes need PostgreSQL and NATS: on the default deployment there is nothing to prove.
const deployments = process.env['MUSTER_TEST_POSTGRES'] === undefined ? [] : ['PostgreSQL and NATS']

/** Seconds that no other process sleeps. */
const NAP = `4711.${process.pid}`

for (const name of deployments) {
  test(`two servers on ${name}: a terminal whose browser is at one and whose machine is at the other`, async ({
    server: one,
    admin,
    deployment,
    openConsole,
    expected,
  }) => {
    await using two = await startServer({ env: { ...deployment.env, MUSTER_DATA: one.dataFolder } })
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    await using agent = await startAgent({ server: two.url, token })
    await expect.poll(async () => (await admin.call(listAgents, { query: {} })).length).toBe(1)
    const [machine] = await admin.call(listAgents, { query: {} })
    const page = await openConsole({ as: admin, path: `/remotebackground/${machine?.agent_id ?? ''}` })
    const status = (text: RegExp) => page.getByRole('status').filter({ hasText: text })
    const screen = page.locator('.xterm-rows')
    const enter = async (line: string) => {
      await page.keyboard.type(line)
      await page.keyboard.press('Enter')
    }

    await test.step('keys, a full screen and a flood cross the bus', async () => {
      await expect(status(/^In \/.+ as \w+ on /)).toBeVisible()
      await expect(screen).toContainText(/[$#] *$/)
      await enter(`PS1='next> '; MARK=kept; sleep ${NAP} &`)
      await enter('top')
      await expect(screen).toContainText(/load average/)
      await page.keyboard.press('q')
      await expect(screen).toContainText(/next>\s*$/)
      await enter('head -c 2000000 /dev/zero | tr "\\0" "x" | fold -w 100; echo "flood $((1 + 1)) over"')
      await expect(screen).toContainText('flood 2 over', { timeout: LONG_PATIENCE_MS })
    })

    await test.step('the server of the machine restarts, and the terminal is there again', async () => {
      await two.restart()
      await expect(status(/^Back in /)).toBeVisible()
      await page.locator('.xterm').click()
      await enter('clear; echo "is $MARK"')
      await expect(screen).toContainText('is kept')
    })

    await test.step('the sign-in ends at the other server, the terminal within a second, and its programs', async () => {
      expected.browser.push(refusedWith(401))
      expect(countRunning(`sleep\x00${NAP}\0`)).toBe(1)
      const elsewhere = await signIn(two.url, one.admin)
      const sessions = await elsewhere.call(listOwnSessions, {})
      const browsers = sessions.filter(({ current }) => !current)
      for (const { digest } of browsers) await elsewhere.call(endSession, { params: { digest } })
      await expect(
        page.getByText('The session has ended. Sign in again.').or(page.getByText('Your session')),
      ).toBeVisible()
      await expect.poll(() => countRunning(`sleep\x00${NAP}\0`)).toBe(0)
      const read = async () => {
        const body = { actionFilter: ['remote_session' as const] }
        return (await elsewhere.call(listAudit, { body })).audit_logs.map(({ message }) => message)
      }
      await expect
        .poll(read)
        .toEqual([
          expect.stringMatching(/^Ended the terminal on ".+" after \d+ (s|min)/),
          expect.stringMatching(/^Opened a terminal on "/),
        ])
    })
    agent.expectCleanLog()
    expect(await two.stop()).toBe(0)
    two.expectCleanLog()
  })
}

function countRunning(commandLine: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLineOf(pid) === commandLine).length
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}
