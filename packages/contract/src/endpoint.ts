import type { z } from 'zod'
import type { Access } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One API call: its path, its permission, and the schemas of its input and response. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: Method
  /** With trailing slash and `:name` parameters: `/clients/:id/`. */
  path: string
  access: Access
  summary: string
  params?: Params
  query?: Query
  body?: Body
  response: Response
  /** Refused to API keys: only a signed-in person may do it. */
  needsPerson?: true
  /**
   * Asks a session whose user has neither signed in nor confirmed who they are for a while. For changes whose access
   * outlasts the session: docs/decisions/0137-proof-before-lasting-access.md.
   */
  needsProof?: true
  /** Also answered while the disk is nearly full: it stores next to nothing, frees space, or stops something. */
  withLowDisk?: true
  /** The response is plain text, not JSON. */
  text?: true
  /** The response is a list: with `?page=` it is wrapped as `{total, page, page_size, results}`. */
  paged?: true
  /**
   * For a PUT that accepts the object as its GET returns it. Read-only fields must be unchanged then, except these,
   * which change without an edit.
   */
  volatile?: readonly string[]
  /** Maximum body in bytes, if the default of 1 MiB is too small. */
  bodyLimit?: number
}

/** Declares an endpoint and keeps the types of its schemas. */
export function endpoint<
  Response extends z.ZodType,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Endpoint<Params, Query, Body, Response>): Endpoint<Params, Query, Body, Response> {
  return definition
}

/** A part of the input, optional if its schema accepts an empty object. */
type PartIn<Name extends string, Schema extends z.ZodType> = Schema extends z.ZodUndefined
  ? { [K in Name]?: undefined }
  : object extends z.input<Schema>
    ? { [K in Name]?: z.input<Schema> | undefined }
    : { [K in Name]: z.input<Schema> }

type PartOut<Name extends string, Schema extends z.ZodType> = Schema extends z.ZodUndefined
  ? { [K in Name]?: undefined }
  : { [K in Name]: z.output<Schema> }

/** The input of a caller: `{params, query, body}`, each only if the endpoint has it. */
export type Input<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? PartIn<'params', P> & PartIn<'query', Q> & PartIn<'body', B>
    : never

/** The input of the handler after parsing. */
export type Parsed<E> =
  E extends Endpoint<infer P, infer Q, infer B, z.ZodType>
    ? PartOut<'params', P> & PartOut<'query', Q> & PartOut<'body', B>
    : never

export type Output<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never
