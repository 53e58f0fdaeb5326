import RFB from '@novnc/novnc'
import { RfbSocket } from './rfb-socket.ts'

/** The handshake before ServerInit, which recordings lack: version 3.8, without authentication. */
const SIGN_IN = new Uint8Array([...new TextEncoder().encode('RFB 003.008\n'), 1, 1, 0, 0, 0, 0])

export interface ReplayScreen extends Disposable {
  /** Recorded bytes of the VNC server. */
  receive: (bytes: Uint8Array) => void
  /** Bytes that are not drawn yet. */
  waitingBytes: () => number
  /** In the machine's pixels. */
  point: (x: number, y: number) => void
}

/** A read-only screen for recordings. */
export function openReplayScreen(
  element: HTMLElement,
  { pointerClass, onTrouble }: { pointerClass: string; onTrouble: () => void },
): ReplayScreen {
  const socket = new RfbSocket(() => {})
  const rfb = new RFB(element, socket, { shared: true })
  Object.assign(rfb, { background: 'transparent', viewOnly: true, scaleViewport: true, focusOnClick: false })
  const canvas = element.querySelector('canvas')
  canvas?.setAttribute('aria-label', 'Recorded desktop')
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
        // noVNC throws on surplus data.
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
