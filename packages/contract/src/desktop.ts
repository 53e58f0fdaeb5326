import { isVncHost } from '@muster/rules/remote/vnc-targets'
import { z } from 'zod'

/** What a person asks for. `display`: which of the machine's, by its name (`:0`); null = the one people sit at. */
export const DesktopWish = z.object({ display: z.string().max(100).nullable() })

/** A VNC server that the machine reaches: its own or a neighbour's. */
export const VncTarget = z.object({
  host: z.string().max(253).refine(isVncHost, 'A name or an address, such as localhost or 10.0.0.5.'),
  port: z.int().min(1).max(65_535),
})

/** What a desktop's window tells the machine beside the bytes of VNC. */
export const DesktopInput = z.object({
  /** Answered by `pong` with the same number: how long the way to the machine and back is. */
  type: z.literal('ping'),
  number: z.int(),
})
export type DesktopInput = z.infer<typeof DesktopInput>

/** What the machine tells a desktop's window. After `opened` the bytes are those of VNC (RFB), both ways. */
export const DesktopNews = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    session: z.uuid(),
    /** Which of `displays` it is, or `host:port` of another VNC server. */
    display: z.string().max(100),
    displays: z.array(z.string().max(100)).max(50),
    /** The VNC server that shows it, as a name. */
    server: z.string().max(100),
    /** Of this session only, for the VNC server on the machine; null = one that people have to know. */
    password: z.string().max(100).nullable(),
  }),
  z.object({ type: z.literal('pong'), number: z.int() }),
])
export type DesktopNews = z.infer<typeof DesktopNews>
