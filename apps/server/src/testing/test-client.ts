import { endpointUrl, OWN_SHAPE, SHAPE_HEADER } from '@muster/contract/client'
import type { Endpoint, Input, Output } from '@muster/contract/endpoint'
import type { ErrorBody } from '@muster/contract/error-body'
import type { InjectOptions } from 'fastify'
import type { App } from '../app.ts'

export interface TestAnswer<Body> {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  /** The response of a successful call. Reading it after a refusal throws with the server's message. */
  readonly body: Body
  /** The error of a refused call. Reading it after a success throws. */
  readonly error: ErrorBody
  text: string
}

/** A minimal browser: keeps cookies, and sends token, XSRF header and origin like the console. */
export interface TestClient {
  token: string | undefined
  cookies: Map<string, string>
  /** Source address of its requests. */
  source: string
  /** Sent with every request. An empty value removes a default header. */
  headers: Record<string, string>
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TestAnswer<Output<E>>>
  /** Sends any request, including invalid ones. */
  send(request: InjectOptions): Promise<TestAnswer<unknown>>
}

const HOST = '127.0.0.1:8420'
const XSRF_COOKIE = 'XSRF-TOKEN'

export function createTestClient(
  app: App,
  session?: { token: string; cookies: Iterable<[string, string]> },
): TestClient {
  const client: TestClient = {
    token: session?.token,
    cookies: new Map(session?.cookies),
    source: '127.0.0.1',
    headers: {},
    async call(endpoint, input) {
      // Input<E> has this shape for every endpoint, with the parts typed.
      const loose = input as { body?: unknown }
      const answer = await client.send({
        method: endpoint.method,
        url: endpointUrl(endpoint, loose),
        ...(loose.body === undefined ? {} : { payload: JSON.stringify(loose.body) }),
        headers: {
          [SHAPE_HEADER]: OWN_SHAPE,
          ...(loose.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      })
      // The server parsed its response with the endpoint's schema.
      return answer as TestAnswer<Output<typeof endpoint>>
    },
    async send(request) {
      const response = await app.fastify.inject({
        remoteAddress: client.source,
        ...request,
        headers: headersOf(client, request),
      })
      for (const { name, value } of response.cookies) {
        if (value === '') client.cookies.delete(name)
        else client.cookies.set(name, value)
      }
      return describeAnswer(response.statusCode, response.headers, response.payload)
    },
  }
  return client
}

function headersOf(client: TestClient, request: InjectOptions): Record<string, string> {
  const xsrf = client.cookies.get(XSRF_COOKIE)
  const isUnsafe = request.method !== undefined && !/^get$/i.test(request.method)
  const headers = {
    host: HOST,
    accept: 'application/json',
    ...(isUnsafe ? { origin: `http://${HOST}` } : {}),
    ...(client.token === undefined ? {} : { authorization: `Token ${client.token}` }),
    ...(client.cookies.size === 0
      ? {}
      : { cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
    ...(isUnsafe && xsrf !== undefined ? { 'x-xsrf-token': xsrf } : {}),
    ...request.headers,
    ...client.headers,
  }
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== '' && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}

function describeAnswer(
  status: number,
  headers: TestAnswer<unknown>['headers'],
  text: string,
): TestAnswer<unknown> {
  const ok = status < 400
  return {
    status,
    headers,
    text,
    get body() {
      if (!ok) throw new Error(`The server refused with ${status}: ${text}`)
      return readJson(text)
    },
    get error() {
      if (ok) throw new Error(`The server refused nothing; it answered ${status}: ${text}`)
      // Tests state what they expect.
      return readJson(text) as ErrorBody
    },
  }
}

function readJson(text: string): unknown {
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}
