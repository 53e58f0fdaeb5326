import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'

export const CLIENT_ID = 'muster'
export const CLIENT_SECRET = 'a secret that only provider and server know'

/** Claims of a user. */
export type ProviderClaims = Record<string, unknown>

export interface TestProvider extends AsyncDisposable {
  issuer: string
  /** By subject. */
  users: Map<string, ProviderClaims>
  /** The user at the browser; undefined = the provider refuses the sign-in. */
  current: string | undefined
  /** Follows the redirects of the provider like a browser. Returns the query of the callback. */
  visit(url: string): Promise<string>
  close(): Promise<void>
}

interface Options {
  callback: string
  /** At the token endpoint. */
  authMethod?: 'client_secret_basic' | 'client_secret_post' | 'none'
}

/** The parts of oidc-provider that this file uses. The package has no types. */
interface Library {
  Provider: new (
    issuer: string,
    configuration: object,
  ) => {
    callback(): RequestListener
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    Grant: new (of: { accountId: string; clientId: string }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): void
  }
}

/** An OpenID-certified provider on a free loopback port. */
export async function openTestProvider({
  callback,
  authMethod = 'client_secret_basic',
}: Options): Promise<TestProvider> {
  const name: string = 'oidc-provider'
  // The interface above.
  const { Provider } = (await import(name)) as Library
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const issuer = `http://127.0.0.1:${address.port}`
  const users = new Map<string, ProviderClaims>()
  const test: Pick<TestProvider, 'current'> = { current: undefined }
  const scope = 'openid email profile groups'
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        ...(authMethod === 'none' ? {} : { client_secret: CLIENT_SECRET }),
        token_endpoint_auth_method: authMethod,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    clientAuthMethods: [authMethod],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'given_name', 'family_name'],
      groups: ['groups', 'realm_access'],
    },
    scopes: scope.split(' '),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['test'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...users.get(sub) }),
    }),
    interactions: { url: () => '/interaction' },
    loadExistingGrant: async (context: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ accountId: context.oidc.session.accountId, clientId: CLIENT_ID })
      grant.addOIDCScope(scope)
      await grant.save()
      return grant
    },
  })
  provider.on('server_error', (_context, error) => {
    throw error
  })
  const answer = provider.callback()
  http.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction')) return answer(request, response)
    const result =
      test.current === undefined
        ? { error: 'access_denied', error_description: 'The user cancelled.' }
        : { login: { accountId: test.current } }
    void provider.interactionFinished(request, response, result)
  })
  const close = async () => {
    if (!http.listening) return
    http.close()
    http.closeAllConnections()
    await once(http, 'close')
  }
  return Object.assign(test, {
    issuer,
    users,
    visit: (url: string) => visit(url, callback),
    close,
    [Symbol.asyncDispose]: close,
  })
}

async function visit(start: string, callback: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = start
  for (let steps = 0; steps < 10; steps += 1) {
    if (url.startsWith(callback)) return new URL(url).search.slice(1)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(key, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`)
    url = new URL(location, url).href
  }
  throw new Error('the provider redirects without end')
}
