import { z } from 'zod'

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Use a time such as 08:00.')

/** When remote tools may be used, by the machine's own clock: start days and times of day. */
export const RemoteHours = z
  .object({
    /** 0 = Sunday. */
    weekdays: z.array(z.int().min(0).max(6)).min(1, 'Choose at least one day.').max(7),
    from: TimeOfDay,
    to: TimeOfDay,
  })
  .refine(({ from, to }) => from !== to, { message: 'Choose two different times.', path: ['to'] })

export const Consent = z.enum(['off', 'ask', 'ask_allow', 'require'])
export const ConsentSeconds = z.int().min(5).max(120)

/** The remote rules of a machine, which it enforces: see `RemoteRules` in packages/rules. */
export const RemoteRules = z.object({
  forbidden: z.boolean(),
  hours: RemoteHours.nullable(),
  consent: Consent,
  consent_seconds: ConsentSeconds,
  banner: z.boolean(),
})

/** Identifies the content of rules; empty = the default rules. */
export const RulesRevision = z.string().max(64)
