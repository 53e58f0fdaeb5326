import RFB from '@novnc/novnc'
import type { Key } from './key-sequences.ts'
import { RfbSocket } from './rfb-socket.ts'

/** A VNC server that says nothing for so long before there is a picture is given up. */
export const SILENT_AFTER_MS = 15_000
/** More is no screen; browsers draw nothing at all then. */
const MOST_PIXELS = 100_000_000

/** How a screen is shown, and what may be done on it. */
export interface ScreenLook {
  viewOnly: boolean
  /** Made to fit the window. */
  fit: boolean
  quality: Quality
}

export const QUALITIES = {
  fine: { label: 'Fine', qualityLevel: 9, compressionLevel: 1 },
  balanced: { label: 'Balanced', qualityLevel: 6, compressionLevel: 2 },
  coarse: { label: 'For slow lines', qualityLevel: 2, compressionLevel: 9 },
} as const
export type Quality = keyof typeof QUALITIES

export interface Credentials {
  username?: string
  password?: string
}
export type CredentialType = keyof Credentials

export interface ScreenOptions {
  /** Null = the person is asked. */
  password: string | null
  look: ScreenLook
  send: (bytes: Uint8Array) => void
  onConnect: () => void
  /** The VNC server wants these. */
  onAsk: (types: readonly CredentialType[], give: (given: Credentials) => void) => void
  /** It is over, and not because the channel is. */
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
    // People take their time.
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
        // noVNC throws where more comes than it was told of.
        fail(NONSENSE)
      }
      const { width = 0, height = 0 } = canvas ?? {}
      if (width * height > MOST_PIXELS) fail(NONSENSE)
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

const SILENT = `The VNC server said nothing for ${SILENT_AFTER_MS / 1000} seconds, so nothing can be shown.`
const NONSENSE = 'What answers there does not speak VNC as it should, so nothing can be shown.'
