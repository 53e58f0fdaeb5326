import type { Endpoint, Output } from '@muster/contract/endpoint'
import { ERROR_STATUS, type ErrorCode } from '@muster/contract/errors'
import { strictSchema } from '@muster/contract/strict-schema'
import { expect, onTestFinished, vi } from 'vitest'
import type { z } from 'zod'

export interface Received {
  endpoint: Endpoint
  path: string
  headers: Record<string, string>
  search: URLSearchParams
  body: unknown
}

type Handler = (received: Received) => Response | Promise<Response>

/**
 * The network as a test wants it: requests are answered by endpoint, everything else with 404. Answers what came in.
 * Fails the test after a request with a field that its endpoint does not know: the server would refuse it.
 * @example const server = fakeServer(); server.on(getMe, () => answer(getMe, given.me()))
 */
export function fakeServer() {
  const handlers = new Map<Endpoint, Handler>()
  const received: Received[] = []
  const unknown: string[] = []
  const fetchMock = vi.spyOn(window, 'fetch').mockImplementation(async (input, init) => {
    init?.signal?.throwIfAborted()
    const url = new URL(input instanceof Request ? input.url : input, location.origin)
    const path = url.pathname
    const fitting = [...handlers].filter(([endpoint]) => isCallTo(endpoint, init?.method ?? 'GET', path))
    // A path without parameters comes first, as on the server.
    const found = fitting.find(([endpoint]) => endpoint.path === path) ?? fitting[0]
    if (found === undefined) return refuse('not_found', `nothing at ${path}`)
    const [endpoint, handler] = found
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
    const request = {
      endpoint,
      path,
      headers: Object.fromEntries(new Headers(init?.headers)),
      search: url.searchParams,
      body,
    }
    received.push(request)
    unknown.push(...unknownFields(endpoint, endpoint.body, body))
    unknown.push(...unknownFields(endpoint, endpoint.query, Object.fromEntries(url.searchParams)))
    return Promise.race([handler(request), untilAborted(init?.signal)])
  })
  onTestFinished(() => {
    fetchMock.mockRestore()
    expect(unknown, 'fields that the server would refuse').toEqual([])
  })
  return {
    on: (endpoint: Endpoint, handler: Handler) => void handlers.set(endpoint, handler),
    received,
    calls: (endpoint: Endpoint) => received.filter((request) => request.endpoint === endpoint),
  }
}

function unknownFields({ method, path }: Endpoint, schema: z.ZodType | undefined, value: unknown): string[] {
  if (schema === undefined || value === undefined) return []
  const issues = strictSchema(schema).safeParse(value).error?.issues ?? []
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => `${method} ${path} ${key}`) : [],
  )
}

function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
  })
}

/** A good answer, typed by its endpoint. */
export function answer<E extends Endpoint>(_endpoint: E, value: Output<E>): Response {
  return new Response(JSON.stringify(value), { status: 200, headers: { 'content-type': 'application/json' } })
}

/** A refusal as the API writes it. */
export function refuse(code: ErrorCode, detail: string, headers: Record<string, string> = {}): Response {
  const body = { detail, code, request_id: 'test-request' }
  return new Response(JSON.stringify(body), { status: ERROR_STATUS[code], headers })
}

function isCallTo(endpoint: Endpoint, method: string, path: string): boolean {
  const pattern = endpoint.path.replaceAll(/:\w+/g, '[^/]+')
  return endpoint.method === method && new RegExp(`^${pattern}$`).test(path)
}
