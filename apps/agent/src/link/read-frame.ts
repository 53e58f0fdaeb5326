import type { AgentFrame } from '@muster/contract/agent/agent-frame'
import { MAX_FRAME_BYTES, ServerFrame } from '@muster/contract/agent/link'
import { z } from 'zod'

type ErrorFrame = Extract<AgentFrame, { type: 'error' }>
export type ReadFrame = { frame: ServerFrame } | { error: ErrorFrame }

const KNOWN_TYPES = new Set<unknown>(ServerFrame.options.map((option) => option.shape.type.value))
const LooseFrame = z.looseObject({ type: z.string() })

/** A text frame of the server, or the error frame that answers it. */
export function readFrame(data: Buffer): ReadFrame {
  if (data.byteLength > MAX_FRAME_BYTES) {
    return refuse(
      'too_large',
      `A frame of ${data.byteLength} bytes was refused; at most ${MAX_FRAME_BYTES} are read.`,
    )
  }
  const content = tryJson(data)
  const loose = LooseFrame.safeParse(content)
  if (!loose.success) return refuse('unreadable', 'A frame was refused: it is not a JSON object with a type.')
  if (!KNOWN_TYPES.has(loose.data.type)) {
    return refuse(
      'unknown_type',
      `A frame of the unknown type "${loose.data.type.slice(0, 50)}" was ignored.`,
    )
  }
  const frame = ServerFrame.safeParse(content)
  if (frame.success) return { frame: frame.data }
  const what = z.prettifyError(frame.error).replaceAll(/\s+/g, ' ')
  return refuse('unreadable', `A frame of type "${loose.data.type}" was refused: ${what}`.slice(0, 500))
}

function refuse(code: string, message: string): ReadFrame {
  return { error: { type: 'error', code, message } }
}

function tryJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString()) as unknown
  } catch {
    return undefined
  }
}
