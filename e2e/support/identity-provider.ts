import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export const CLIENT_ID = 'muster'
export const CLIENT_SECRET = 'a secret that only provider and server know'

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
  }
}

/** A real OpenID provider on a free loopback port, with a sign-in page that believes every name. */
export async function startIdentityProvider(callback: string): Promise<{ issuer: string } & AsyncDisposable> {
  const name: string = 'oidc-provider'
  // The interface above.
  const { Provider } = (await import(name)) as Library
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const issuer = `http://127.0.0.1:${address.port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['preferred_username', 'name'] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      // Its own pages load a font from the Internet.
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = pageOf(
            `${form}<button form="op.logoutForm" name="logout" value="yes">Leave the provider</button>`,
          )
        },
        postLogoutSuccessSource: (context: { body: string }) => {
          context.body = pageOf('<p>You have left the provider.</p>')
        },
      },
    },
    cookies: { keys: ['story'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        preferred_username: sub,
        email: `${sub}@example.org`,
        email_verified: true,
      }),
    }),
    interactions: { url: () => '/interaction' },
    loadExistingGrant: async (context: { oidc: { session: { accountId: string } } }) => {
      const grant = new provider.Grant({ accountId: context.oidc.session.accountId, clientId: CLIENT_ID })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  http.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction')) return answer(request, response)
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html')
      response.end(SIGN_IN)
      return
    }
    const accountId = new URLSearchParams(await text(request)).get('login') ?? ''
    await provider.interactionFinished(request, response, { login: { accountId } })
  })
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }
}

const pageOf = (body: string) =>
  `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">${body}`

const SIGN_IN = pageOf(
  '<form method="post"><label>Account <input name="login"></label><button>Continue</button></form>',
)
