import { listUsers } from '@muster/contract/api/accounts'
import { listAudit } from '@muster/contract/api/audit'
import { editCoreSettings } from '@muster/contract/api/settings'
import {
  createSsoProvider,
  finishSsoSignIn,
  startSsoSignIn,
  type SsoProvider,
} from '@muster/contract/api/sso'
import type { Input } from '@muster/contract/endpoint'
import type { TestClient } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { LOOPBACK_CHANNELS } from '../alerts/channels/test-receiver.ts'
import { CLIENT_ID, CLIENT_SECRET, openTestProvider, type TestProvider } from './test-provider.ts'

export const CALLBACK = 'http://127.0.0.1:8420/account/provider/callback'
export const PASSWORD = 'correct horse battery'
export const ADA = {
  preferred_username: 'Ada',
  given_name: 'Ada',
  family_name: 'Lovelace',
  email: 'ada@example.org',
  email_verified: true,
}

type ProviderBody = NonNullable<Input<typeof createSsoProvider>['body']>

/** A server with single sign-on, and a provider that the user `ada` signs in with. */
export async function prepare({
  env = LOOPBACK_CHANNELS,
  ...options
}: Parameters<typeof createTestServer>[0] = {}) {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await createTestServer({ env, ...options }))
  const provider = stack.use(await openTestProvider({ callback: CALLBACK }))
  provider.users.set('sub-ada', ADA)
  provider.current = 'sub-ada'
  const root = server.as(await server.given.user({ superuser: true, username: 'root', password: PASSWORD }))
  const { roleId } = await server.given.user({ permissions: ['can_list_agents'] })
  const role = Number(roleId)
  await root.call(editCoreSettings, { body: { sso_enabled: true } })
  const add = async (more: Partial<ProviderBody> = {}): Promise<SsoProvider> => {
    const body = {
      name: 'corp',
      server_url: provider.issuer,
      client_id: CLIENT_ID,
      secret: CLIENT_SECRET,
      role,
      ...more,
    }
    return (await root.call(createSsoProvider, { body })).body
  }
  const resources = stack.move()
  return {
    server,
    provider,
    root,
    role,
    add,
    messages: async () =>
      (await root.call(listAudit, { body: {} })).body.audit_logs.map(({ message }) => message),
    users: async () => (await root.call(listUsers, {})).body,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export async function start(browser: TestClient, name = 'corp'): Promise<string> {
  return (await browser.call(startSsoSignIn, { body: { provider: name } })).body.url
}

export const finish = (browser: TestClient, query: string) =>
  browser.call(finishSsoSignIn, { body: { query } })

/** Signs in like a browser. */
export async function signIn(browser: TestClient, provider: TestProvider, name = 'corp') {
  const answer = await finish(browser, await provider.visit(await start(browser, name)))
  if (answer.status === 200) browser.token = answer.body.token
  return answer
}
