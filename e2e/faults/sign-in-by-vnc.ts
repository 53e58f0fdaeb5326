import { createCipheriv } from 'node:crypto'
import type { ToolWindow } from './tool-window.ts'

const VERSION = 'RFB 003.008\n'
/** SetPixelFormat: 32 bits a pixel, red lowest; without it nothing can be recorded. */
const AS_NOVNC_WANTS = Buffer.from('000000002018000100ff00ff00ff000810000000', 'hex')

/** Signs in to a VNC server by its password, and asks for the picture: what comes then is the middle of a session. */
export async function signInByVnc(window: ToolWindow, password: string): Promise<void> {
  let at = 0
  const take = async (count: number) => {
    at += count
    return (await window.atLeast(at)).subarray(at - count, at)
  }
  await take(VERSION.length)
  window.send(Buffer.from(VERSION))
  await take((await take(1))[0] ?? 0)
  window.send(Buffer.from([2]))
  window.send(answerTo(await take(16), password))
  await take(4)
  window.send(Buffer.from([1]))
  const init = await take(24)
  await take(init.readUInt32BE(20))
  window.send(AS_NOVNC_WANTS)
  const request = Buffer.alloc(10)
  request[0] = 3
  request.writeUInt16BE(init.readUInt16BE(0), 6)
  request.writeUInt16BE(init.readUInt16BE(2), 8)
  window.send(request)
  await take(4)
}

/** The challenge under the password, each byte of which is turned round. */
function answerTo(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(8)
  key.write(password.slice(0, 8), 'latin1')
  const turned = key.map((byte) =>
    Number.parseInt(byte.toString(2).padStart(8, '0').split('').toReversed().join(''), 2),
  )
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([turned, turned, turned]), null)
  return Buffer.concat([cipher.setAutoPadding(false).update(challenge), cipher.final()])
}
