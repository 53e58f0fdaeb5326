import { isEmail } from '@muster/rules/text/email'
import { z } from 'zod'

export const Severity = z.enum(['info', 'warning', 'error'])
export type Severity = z.infer<typeof Severity>

/** The id of a row, within the range of PostgreSQL's integer. */
export const Id = z.coerce.number().int().min(1).max(2_147_483_647)
export const IdParams = z.object({ id: Id })
export const AgentId = z.string().regex(/^[A-Za-z0-9]{8,64}$/, 'An agent id is 8 to 64 letters and digits.')
export const AgentParams = z.object({ agent_id: AgentId })
export const Instant = z.iso.datetime()
const EMAIL_NEEDED = 'Enter an e-mail address, such as name@example.com.'
export const Email = z.string().trim().refine(isEmail, EMAIL_NEEDED)
/** Empty = none. */
export const OptionalEmail = z
  .string()
  .trim()
  .refine((text) => text === '' || isEmail(text), EMAIL_NEEDED)

/** A query flag: `?detail=false`. */
export const QueryFlag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** A name of a client or a site. Trees show `Client|3`, so `|` is not allowed. */
export const NodeName = z
  .string()
  .trim()
  .min(1, 'A name is needed.')
  .max(255, 'A name has at most 255 characters.')
  .refine((name) => !name.includes('|'), 'A name may not contain "|".')

/** Shown to the user at a machine beside the name of the user who opens a remote tool. */
export const CompanyName = z.string().trim().max(255)

export const PolicyItem = z.object({
  /** Unique over all policies, for `status` and `run`. */
  id: z.int(),
  policy: z.int(),
  /** Unique within the policy. */
  number: z.int(),
})
export type PolicyItem = z.infer<typeof PolicyItem>

/**
 * Query of every list: with `page` the response is one page `{total, page, page_size, results}`, otherwise the plain
 * array.
 */
export const ListQuery = z.object({
  page: z.coerce.number().int().min(1).optional(),
  page_size: z.coerce.number().int().min(1).max(1000).optional(),
  search: z.string().max(500).optional(),
  sort: z.string().max(100).optional(),
})
export type ListQuery = z.infer<typeof ListQuery>

export const Nothing = z.null()
export const MonitoringType = z.enum(['server', 'workstation'])
export type MonitoringType = z.infer<typeof MonitoringType>
export const Platform = z.enum(['windows', 'linux', 'darwin'])
export type Platform = z.infer<typeof Platform>
