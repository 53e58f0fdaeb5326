import RFB from '@novnc/novnc'
import { RfbSocket } from './rfb-socket.ts'

/** What noVNC hears before ServerInit, with which a recording begins: version 3.8, and nobody has to sign in. */
const SIGN_IN = new Uint8Array([...new TextEncoder().encode('RFB 003.008\n'), 1, 1, 0, 0, 0, 0])

export interface ReplayScreen extends Disposable {
  /** Bytes of the VNC server, as they were recorded. */
  receive: (bytes: Uint8Array) => void
  /** How many of them are not drawn yet. */
  waitingBytes: () => number
  /** In the pixels of the machine. */
  point: (x: number, y: number) => void
}

/** A screen that nobody types into, for recordings. */
export function openReplayScreen(
  element: HTMLElement,
  { pointerClass, onTrouble }: { pointerClass: string; onTrouble: () => void },
): ReplayScreen {
  const socket = new RfbSocket(() => {})
  const rfb = new RFB(element, socket, { shared: true })
  Object.assign(rfb, { background: 'transparent', viewOnly: true, scaleViewport: true, focusOnClick: false })
  const canvas = element.querySelector('canvas')
  canvas?.setAttribute('aria-label', 'What the desktop showed')
  canvas?.setAttribute('role', 'img')
  const pointer = document.createElement('div')
  pointer.className = pointerClass
  pointer.hidden = true
  element.append(pointer)
  let isGone = false
  rfb.addEventListener('disconnect', ({ detail }) => {
    isGone = true
    if (!detail.clean) onTrouble()
  })
  socket.receive(SIGN_IN)
  return {
    receive(bytes) {
      if (isGone) return
      try {
        socket.receive(bytes)
      } catch {
        // noVNC throws where more comes than it was told of.
        onTrouble()
      }
    },
    waitingBytes: () => rfb._sock.rQlen(),
    point(x, y) {
      if (canvas === null || canvas.width === 0) return
      const [at, place] = [canvas.getBoundingClientRect(), element.getBoundingClientRect()]
      pointer.hidden = false
      pointer.style.left = `${at.left - place.left + (x * at.width) / canvas.width}px`
      pointer.style.top = `${at.top - place.top + (y * at.height) / canvas.height}px`
    },
    [Symbol.dispose]() {
      if (!isGone) rfb.disconnect()
      pointer.remove()
    },
  }
}
