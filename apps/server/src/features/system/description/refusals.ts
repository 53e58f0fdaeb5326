import type { Endpoint } from '@muster/contract/endpoint'
import { type ErrorCode, ERROR_STATUS } from '@muster/contract/errors'

interface Refusal {
  name: string
  text: string
  code: ErrorCode
  detail: string
  fields?: Record<string, string[]>
  appliesTo: (endpoint: Endpoint) => boolean
}

const isWrite = ({ method }: Endpoint): boolean => method !== 'GET'
const isPublic = ({ access }: Endpoint): boolean => access === 'public'

const REFUSALS: readonly Refusal[] = [
  {
    name: 'Invalid',
    text: 'A value is missing, unknown or invalid; fields says which.',
    code: 'invalid',
    detail: 'The request is not valid.',
    fields: { name: ['A name is needed.'] },
    appliesTo: ({ params, query, body }) => [params, query, body].some((part) => part !== undefined),
  },
  {
    name: 'NotSignedIn',
    text: 'The key or the session is missing or no longer valid.',
    code: 'not_signed_in',
    detail: 'Sign in first.',
    appliesTo: (endpoint) => !isPublic(endpoint),
  },
  {
    name: 'NotAllowed',
    text: 'The role or the key does not allow this, or the header X-XSRF-TOKEN of a session is missing.',
    code: 'not_allowed',
    detail: 'Your role does not allow this (can_edit_agent).',
    appliesTo: (endpoint) => !isPublic(endpoint),
  },
  {
    name: 'NotFound',
    text: 'The object does not exist, or is not visible for the caller.',
    code: 'not_found',
    detail: 'This machine does not exist.',
    appliesTo: ({ params }) => params !== undefined,
  },
  {
    name: 'Conflict',
    text: 'The state does not allow this now: another user has saved, the machine is offline, or the Idempotency-Key was used for another request.',
    code: 'agent_offline',
    detail: 'web-01 is offline. Try again when it is connected.',
    appliesTo: (endpoint) => isWrite(endpoint) && !isPublic(endpoint),
  },
  {
    name: 'TooLarge',
    text: 'The body is larger than this endpoint accepts.',
    code: 'too_large',
    detail: 'The request is too large.',
    appliesTo: ({ body }) => body !== undefined,
  },
  {
    name: 'TooManyRequests',
    text: 'The key has made 1,000 requests within a minute, or sign-ins have failed too often. Retry-After says when to try again.',
    code: 'too_many_requests',
    detail: 'Too many requests. Try again in 12 seconds.',
    appliesTo: (endpoint) => (isPublic(endpoint) ? isWrite(endpoint) : endpoint.needsPerson !== true),
  },
  {
    name: 'DiskFull',
    text: 'The disk of the server is nearly full, so nothing can be changed.',
    code: 'disk_full',
    detail: 'The disk of the server is nearly full, so nothing can be changed. Free some space there.',
    appliesTo: (endpoint) =>
      isWrite(endpoint) && endpoint.method !== 'DELETE' && endpoint.withLowDisk !== true,
  },
]

type Json = Record<string, unknown>

/** The refusals of one endpoint, as references by status. */
export function refusalsOf(endpoint: Endpoint): Json {
  return Object.fromEntries(
    REFUSALS.filter(({ appliesTo }) => appliesTo(endpoint)).map(({ name, code }) => [
      ERROR_STATUS[code],
      { $ref: `#/components/responses/${name}` },
    ]),
  )
}

/** All refusals, for the components of the description. */
export function describeRefusals(): Json {
  return Object.fromEntries(
    REFUSALS.map(({ name, text, code, detail, fields }) => [
      name,
      {
        description: text,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ErrorBody' },
            example: {
              detail,
              code,
              ...(fields === undefined ? {} : { fields }),
              request_id: '6f1c1f0e-3c1b-4d5e-9a7b-2f4c8d9e0a11',
            },
          },
        },
        ...(code === 'too_many_requests'
          ? {
              headers: {
                'Retry-After': { description: 'Seconds until the next try.', schema: { type: 'integer' } },
              },
            }
          : {}),
      },
    ]),
  )
}
