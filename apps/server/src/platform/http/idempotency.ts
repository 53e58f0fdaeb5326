import { createHash } from 'node:crypto'
import type { Endpoint } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Db } from '../database/database.ts'
import { isUniqueViolation } from '../database/sql.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Caller } from './caller.ts'

export type Idempotency = (
  request: FastifyRequest,
  endpoint: Endpoint,
  caller: Caller,
  answer: () => Promise<string>,
) => Promise<string>

/**
 * A request with an `Idempotency-Key` happens once: the row is written before the work and the response afterwards. A
 * repeated request gets the stored response. A failed request leaves no row, so it can be repeated. Responses may
 * contain tokens that are shown once, so they are stored encrypted.
 */
export function createIdempotency({
  db,
  now,
  secrets,
}: {
  db: Db
  now: () => Date
  secrets: Secrets
}): Idempotency {
  return async (request, endpoint, caller, answer) => {
    const key = request.headers['idempotency-key']
    if (key === undefined || endpoint.method === 'GET' || caller.userId === 0) return answer()
    if (typeof key !== 'string' || key.length > 200) {
      throw new AppError('invalid', 'An Idempotency-Key is limited to 200 characters.')
    }
    const owner = caller.apiKey === undefined ? caller.userId : `key ${caller.apiKey.id}`
    const id = `${owner}:${endpoint.method} ${request.url}:${key}`
    // The raw text, because serializing a deeply nested value would overflow the stack.
    const digest = createHash('sha256')
      .update(request.bodyText ?? '')
      .digest('hex')
    try {
      const row = {
        id,
        request_digest: digest,
        status: null,
        response: null,
        created_at: now().toISOString(),
      }
      await db.insertInto('idempotency_keys').values(row).execute()
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      return secrets.decrypt(await storedAnswer(db, id, digest))
    }
    try {
      const response = await answer()
      await db
        .updateTable('idempotency_keys')
        .set({ status: 200, response: secrets.encrypt(response) })
        .where('id', '=', id)
        .execute()
      return response
    } catch (error) {
      await db.deleteFrom('idempotency_keys').where('id', '=', id).execute()
      throw error
    }
  }
}

async function storedAnswer(db: Db, id: string, digest: string): Promise<string> {
  const row = await db.selectFrom('idempotency_keys').selectAll().where('id', '=', id).executeTakeFirst()
  if (row !== undefined && row.request_digest !== digest) {
    throw new AppError('conflict', 'This Idempotency-Key was used for a different request. Use a new one.')
  }
  if (row?.response == null)
    throw new AppError('conflict', 'The same request is still running. Try again later.')
  return row.response
}
