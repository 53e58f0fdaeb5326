import { z } from 'zod'

/** Of one kind and one part; more are counted only. */
export const MOST_TOLD_CHANGES = 200
const Name = z.string().max(500)
const State = z.string().max(300)
const Named = z.array(z.object({ name: Name, state: State })).max(MOST_TOLD_CHANGES)

/** What changed of one part of a machine, or why nobody looked. */
export const ReceiptPart = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('collected'),
    added: Named,
    removed: Named,
    changed: z.array(z.object({ name: Name, from: State, to: State })).max(MOST_TOLD_CHANGES),
    /** So many more changes there are. */
    left_out: z.int().min(0),
  }),
  z.object({
    state: z.literal('not_collected'),
    /** A sentence. */
    reason: z.string().max(500),
  }),
])
export type ReceiptPart = z.infer<typeof ReceiptPart>

/** What is looked at, in the order in which it is shown. */
export const RECEIPT_PARTS = ['packages', 'services', 'files', 'users', 'ports'] as const
export type ReceiptPartName = (typeof RECEIPT_PARTS)[number]

export const ReceiptParts = z.object({
  packages: ReceiptPart,
  services: ReceiptPart,
  /** Below /etc. */
  files: ReceiptPart,
  users: ReceiptPart,
  /** On which something listens. */
  ports: ReceiptPart,
})
export type ReceiptParts = z.infer<typeof ReceiptParts>

/** What changed on a machine while a session of a remote tool ran, by whomever. */
export const SessionReceipt = z.object({
  /** When the machine was looked at, by its own clock. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** The agent was stopped while the session ran, and has looked again at its next start only. */
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
