import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'

/** A browser with a subscription at this address, that can read what is pushed to it (RFC 8291). */
export function openTestBrowser(endpoint: string) {
  const pair = createECDH('prime256v1')
  const own = pair.generateKeys()
  const auth = randomBytes(16)
  return {
    subscription: {
      endpoint,
      keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    },
    read(body: Buffer): unknown {
      const salt = body.subarray(0, 16)
      const sender = body.subarray(21, 21 + body.readUInt8(20))
      const sealed = body.subarray(21 + sender.length)
      const derive = (key: Uint8Array, from: Uint8Array, about: Uint8Array | string, length: number) =>
        Buffer.from(hkdfSync('sha256', key, from, about, length))
      const about = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
      const input = derive(pair.computeSecret(sender), auth, about, 32)
      const decipher = createDecipheriv(
        'aes-128-gcm',
        derive(input, salt, 'Content-Encoding: aes128gcm\0', 16),
        derive(input, salt, 'Content-Encoding: nonce\0', 12),
      )
      decipher.setAuthTag(sealed.subarray(-16))
      const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
      // The last byte but padding is 2.
      return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString('utf8'))
    },
  }
}
