import { z } from 'zod'

export const PowerAction = z.enum(['reboot', 'shutdown'])
export type PowerAction = z.infer<typeof PowerAction>

/** Of a network card: six bytes in hexadecimal. */
export const MacAddress = z.string().regex(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/, 'Invalid MAC address')

export const MOST_WAKE_ADDRESSES = 16
