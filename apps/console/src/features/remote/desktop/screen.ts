import RFB from '@novnc/novnc'
import type { Key } from './key-sequences.ts'
import { RfbSocket } from './rfb-socket.ts'

/** Timeout for a VNC server that stays silent before the first picture. */
export const SILENT_AFTER_MS = 15_000
/** Larger sizes are invalid; browsers draw nothing then. */
const MAX_PIXELS = 100_000_000

/** Display and input options of a screen. */
export interface ScreenLook {
  viewOnly: boolean
  /** Scaled to the window. */
  fit: boolean
  quality: Quality
}

export const QUALITIES = {
  fine: { label: 'Fine', qualityLevel: 9, compressionLevel: 1 },
  balanced: { label: 'Balanced', qualityLevel: 6, compressionLevel: 2 },
  coarse: { label: 'For slow connections', qualityLevel: 2, compressionLevel: 9 },
} as const
export type Quality = keyof typeof QUALITIES

export interface Credentials {
  username?: string
  password?: string
}
export type CredentialType = keyof Credentials

export interface ScreenOptions {
  /** Null = the user is asked. */
  password: string | null
  look: ScreenLook
  send: (bytes: Uint8Array) => void
  onConnect: () => void
  /** Fields that the VNC server requires. */
  onAsk: (types: readonly CredentialType[], give: (given: Credentials) => void) => void
  /** The session ended for another reason than the channel. */
  onTrouble: (message: string) => void
  onClipboard: (text: string) => void
}

export interface Screen extends Disposable {
  /** Bytes of the VNC server. */
  receive: (bytes: Uint8Array) => void
  change: (look: ScreenLook) => void
  press: (keys: readonly Key[]) => void
  paste: (text: string) => void
  focus: () => void
  takePicture: () => Promise<Blob | null>
}

/** A screen by VNC, drawn by noVNC. */
export function showScreen(element: HTMLElement, options: ScreenOptions): Screen {
  const socket = new RfbSocket(options.send)
  const credentials = options.password === null ? {} : { password: options.password }
  const rfb = new RFB(element, socket, { shared: true, credentials })
  rfb.background = 'transparent'
  let isOver = false
  let isGone = false
  let isConnected = false
  let refusal: string | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  const fail = (message: string) => {
    clearTimeout(silence)
    if (isOver) return
    isOver = true
    options.onTrouble(message)
  }
  const waitOn = () => {
    clearTimeout(silence)
    if (!isConnected) silence = setTimeout(() => fail(SILENT), SILENT_AFTER_MS)
  }
  waitOn()
  const change = ({ viewOnly, fit, quality }: ScreenLook) => {
    const { qualityLevel, compressionLevel } = QUALITIES[quality]
    Object.assign(rfb, { viewOnly, scaleViewport: fit, qualityLevel, compressionLevel })
  }
  change(options.look)
  const canvas = element.querySelector('canvas')
  canvas?.setAttribute('aria-label', 'Screen of the machine')
  canvas?.setAttribute('role', 'application')
  rfb.addEventListener('connect', () => {
    isConnected = true
    clearTimeout(silence)
    if (canvas !== null) canvas.tabIndex = 0
    rfb.focus()
    options.onConnect()
  })
  rfb.addEventListener('securityfailure', ({ detail }) => {
    refusal = `The VNC server refused the password${detail.reason === undefined ? '' : `: ${detail.reason}`}.`
  })
  rfb.addEventListener('credentialsrequired', ({ detail }) => {
    const types = detail.types.filter((type) => type !== 'target')
    // Users take their time.
    clearTimeout(silence)
    options.onAsk(types, (given) => {
      waitOn()
      rfb.sendCredentials(given)
    })
  })
  rfb.addEventListener('disconnect', ({ detail }) => {
    isGone = true
    if (!detail.clean) fail(refusal ?? NONSENSE)
  })
  rfb.addEventListener('clipboard', ({ detail }) => options.onClipboard(detail.text))
  return {
    receive(bytes) {
      waitOn()
      try {
        socket.receive(bytes)
      } catch {
        // noVNC throws on surplus data.
        fail(NONSENSE)
      }
      const { width = 0, height = 0 } = canvas ?? {}
      if (width * height > MAX_PIXELS) fail(NONSENSE)
    },
    change,
    press(keys) {
      for (const { keysym, code } of keys) rfb.sendKey(keysym, code, true)
      for (const { keysym, code } of keys.toReversed()) rfb.sendKey(keysym, code, false)
    },
    paste: (text) => rfb.clipboardPasteFrom(text),
    focus: () => rfb.focus(),
    takePicture: () => new Promise((resolve) => rfb.toBlob(resolve)),
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(silence)
      if (!isGone) rfb.disconnect()
    },
  }
}

const SILENT = `No response from the VNC server for ${SILENT_AFTER_MS / 1000} seconds.`
const NONSENSE = 'Invalid response: the server does not speak VNC.'
