import { isVncHost } from '@muster/rules/remote/vnc-targets'
import { z } from 'zod'

/**
 * The requested desktop. `display`: a display of the machine by name (`:0`); null = the one of the signed-in user.
 */
export const DesktopRequest = z.object({ display: z.string().max(100).nullable() })

/** A VNC server that the machine can reach: its own or another one. */
export const VncTarget = z.object({
  host: z.string().max(253).refine(isVncHost, 'A name or an address, such as localhost or 10.0.0.5.'),
  port: z.int().min(1).max(65_535),
})

/** Messages from a desktop's window to the machine, beside the bytes of VNC. */
export const DesktopInput = z.object({
  /** `pong` returns the same number, to measure the round-trip time. */
  type: z.literal('ping'),
  number: z.int(),
})
export type DesktopInput = z.infer<typeof DesktopInput>

/** Messages from the machine to a desktop's window. After `opened` the bytes are VNC (RFB), both ways. */
export const DesktopNews = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    session: z.uuid(),
    /** The active one of `displays`, or `host:port` of another VNC server. */
    display: z.string().max(100),
    displays: z.array(z.string().max(100)).max(50),
    /** Name of the VNC server. */
    server: z.string().max(100),
    /** Session password of the VNC server on the machine; null = the user has to know it. */
    password: z.string().max(100).nullable(),
  }),
  z.object({ type: z.literal('pong'), number: z.int() }),
])
export type DesktopNews = z.infer<typeof DesktopNews>
