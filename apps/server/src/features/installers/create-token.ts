import type { Db } from '../../platform/database/database.ts'
import { digestOf, newToken } from '../../platform/secrets/secrets.ts'

export interface TokenOrder {
  siteId: number
  monitoringType: 'server' | 'workstation'
  plat: 'windows' | 'linux' | 'darwin' | null
  uses: number
  expiresAt: string
  createdBy: string
  now: Date
}

/** Creates an enrolment token. Only its digest is stored. */
export async function createEnrolToken(db: Db, order: TokenOrder): Promise<string> {
  const token = newToken()
  await db
    .insertInto('enrol_tokens')
    .values({
      digest: digestOf(token),
      site_id: order.siteId,
      monitoring_type: order.monitoringType,
      plat: order.plat,
      uses_left: order.uses,
      expires_at: order.expiresAt,
      created_by: order.createdBy,
      created_at: order.now.toISOString(),
    })
    .execute()
  return token
}
