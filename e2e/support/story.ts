import {
  test as base,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Page,
} from '@playwright/test'
import { type Deployment, openDeployment } from './deployment.ts'
import { type Session, signIn, storageStateOf } from './sign-in.ts'
import { startServer, type TestServer } from './start-server.ts'
import { TestHost } from './test-host.ts'
import { reportPrograms } from './program.ts'
import { keepToasts } from './toasts.ts'
import { watchBrowser } from './watch-browser.ts'

/** Expected errors of a story; any other in a log or in a browser's console fails it. */
export interface Expected {
  server: RegExp[]
  browser: RegExp[]
}

export interface OpenOptions extends BrowserContextOptions {
  /** Signed in from the start; without it a visitor. */
  as?: Session
  path?: string
}

interface StoryFixtures {
  /** Settings of the story's server, beside those of the deployment: `test.use({ serverEnv: {...} })`. */
  serverEnv: Record<string, string>
  expected: Expected
  deployment: Deployment
  /** Prints the logs of a failed story. */
  programs: void
  /** A server with nothing in it yet but its first user. */
  server: TestServer
  /** The first user, signed in through the API. */
  admin: Session
  /** A browser of its own, watched, with one page. */
  openConsole: (options?: OpenOptions) => Promise<Page>
}

interface WorkerFixtures {
  /** Loads the server's modules once for all stories of a worker; the server in it is new for each. */
  host: TestHost
}

/** A whole story: a real server on the deployment under test, Chromium, and clean logs at the end. */
export const test = base.extend<StoryFixtures, WorkerFixtures>({
  serverEnv: [{}, { option: true }],
  // Playwright reads the fixtures that one needs from this pattern.
  // oxlint-disable-next-line no-empty-pattern
  expected: async ({}, use) => use({ server: [], browser: [] }),
  // oxlint-disable-next-line no-empty-pattern
  deployment: async ({}, use) => {
    await using deployment = await openDeployment()
    await use(deployment)
  },
  host: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      await using host = new TestHost()
      await use(host)
    },
    { scope: 'worker' },
  ],
  programs: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use, { errors }) => {
      await use()
      reportPrograms(errors.length > 0)
    },
    { auto: true },
  ],
  server: async ({ deployment, serverEnv, host, expected }, use, { errors }) => {
    await using server = await startServer({ env: { ...deployment.env, ...serverEnv }, host })
    await use(server)
    await server.leaveHost()
    if (errors.length > 0) console.log(`--- server\n${server.log.slice(-30).join('\n')}`)
    server.expectCleanLog(...expected.server)
  },
  admin: async ({ server }, use) => use(await signIn(server.url, server.admin)),
  baseURL: async ({ server }, use) => use(server.url),
  context: async ({ context, expected }, use) => {
    const seen: string[] = []
    watchBrowser(context, seen)
    await keepToasts(context)
    await use(context)
    expectQuiet(seen, expected)
  },
  openConsole: async ({ browser, server, expected }, use) => {
    const seen: string[] = []
    const contexts: BrowserContext[] = []
    await use(async ({ as, path = '/', ...options } = {}) => {
      const state = as === undefined ? {} : { storageState: storageStateOf(as) }
      const context = await browser.newContext({ baseURL: server.url, ...state, ...options })
      contexts.push(context)
      watchBrowser(context, seen)
      await keepToasts(context)
      const page = await context.newPage()
      await page.goto(path)
      return page
    })
    await Promise.all(contexts.map((context) => context.close()))
    expectQuiet(seen, expected)
  },
})

function expectQuiet(lines: readonly string[], { browser }: Expected): void {
  const trouble = lines.filter((line) => !browser.some((pattern) => pattern.test(line)))
  expect(trouble, 'errors and warnings in the console of the browser').toEqual([])
}
