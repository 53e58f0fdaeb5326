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

/** Per kind and part; further changes are only counted. */
export const MAX_REPORTED_CHANGES = 200
const Name = z.string().max(500)
const State = z.string().max(300)
const Named = z.array(z.object({ name: Name, state: State })).max(MAX_REPORTED_CHANGES)

/** Changes of one part of a machine, or why it was not compared. */
export const ChangedPart = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('collected'),
    added: Named,
    removed: Named,
    changed: z.array(z.object({ name: Name, from: State, to: State })).max(MAX_REPORTED_CHANGES),
    /** Number of further changes. */
    left_out: z.int().min(0),
  }),
  z.object({
    state: z.literal('not_collected'),
    reason: z.string().max(500),
  }),
])
export type ChangedPart = z.infer<typeof ChangedPart>

/** Compared parts, in display order. */
export const CHANGED_PARTS = ['packages', 'services', 'files', 'users', 'ports'] as const
export type ChangedPartName = (typeof CHANGED_PARTS)[number]

export const ChangedParts = z.object({
  packages: ChangedPart,
  services: ChangedPart,
  /** Below /etc. */
  files: ChangedPart,
  users: ChangedPart,
  /** Listening ports. */
  ports: ChangedPart,
})
export type ChangedParts = z.infer<typeof ChangedParts>

/** Changes on a machine during a session of a remote tool, by any user. */
export const SessionChangesView = z.object({
  /** Times of the snapshots, by the machine's clock. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** The agent was stopped during the session, and compared only at its next start. */
  interrupted: z.boolean(),
  parts: ChangedParts,
})
export type SessionChangesView = z.infer<typeof SessionChangesView>

export const SessionChangesReport = z.object({
  kind: z.literal('session-receipt'),
  session: z.uuid(),
  receipt: SessionChangesView,
})
export type SessionChangesReport = z.infer<typeof SessionChangesReport>
