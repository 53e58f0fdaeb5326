import { z } from 'zod'

/** Per kind and part; further changes are only counted. */
export const MOST_TOLD_CHANGES = 200
const Name = z.string().max(500)
const State = z.string().max(300)
const Named = z.array(z.object({ name: Name, state: State })).max(MOST_TOLD_CHANGES)

/** Changes of one part of a machine, or why it was not compared. */
export const ReceiptPart = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('collected'),
    added: Named,
    removed: Named,
    changed: z.array(z.object({ name: Name, from: State, to: State })).max(MOST_TOLD_CHANGES),
    /** Number of further changes. */
    left_out: z.int().min(0),
  }),
  z.object({
    state: z.literal('not_collected'),
    reason: z.string().max(500),
  }),
])
export type ReceiptPart = z.infer<typeof ReceiptPart>

/** Compared parts, in display order. */
export const RECEIPT_PARTS = ['packages', 'services', 'files', 'users', 'ports'] as const
export type ReceiptPartName = (typeof RECEIPT_PARTS)[number]

export const ReceiptParts = z.object({
  packages: ReceiptPart,
  services: ReceiptPart,
  /** Below /etc. */
  files: ReceiptPart,
  users: ReceiptPart,
  /** Listening ports. */
  ports: ReceiptPart,
})
export type ReceiptParts = z.infer<typeof ReceiptParts>

/** Changes on a machine during a session of a remote tool, by any user. */
export const SessionReceipt = z.object({
  /** Times of the snapshots, by the machine's clock. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** The agent was stopped during the session, and compared only at its next start. */
  interrupted: z.boolean(),
  parts: ReceiptParts,
})
export type SessionReceipt = z.infer<typeof SessionReceipt>

export const ReceiptReport = z.object({
  kind: z.literal('session-receipt'),
  session: z.uuid(),
  receipt: SessionReceipt,
})
export type ReceiptReport = z.infer<typeof ReceiptReport>
