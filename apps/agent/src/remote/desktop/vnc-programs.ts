import { createCipheriv } from 'node:crypto'
import { findProgram } from '../../run/find-program.ts'
import type { Display } from './displays.ts'

export interface VncSetup {
  display: Display
  port: number
  passwordFile: string
}

/** A VNC server for X11 displays. */
export interface VncProgram {
  name: string
  path: string
  args: (setup: VncSetup) => string[]
  /** The content of its password file. */
  writePassword: (password: string) => Buffer
}

/** The installed VNC server; undefined if none. */
export function findVncProgram(): VncProgram | undefined {
  const x11vnc = findProgram('x11vnc')
  if (x11vnc !== undefined)
    return {
      name: 'x11vnc',
      path: x11vnc,
      args: x11vncArgs,
      writePassword: (password) => Buffer.from(password),
    }
  // Debian's current x0tigervncserver is a script around the first one, with other arguments.
  const tiger = findProgram('X0tigervnc', 'x0vncserver')
  if (tiger === undefined) return undefined
  return { name: 'TigerVNC', path: tiger, args: tigerArgs, writePassword: obscure }
}

/** Ends with its first viewer, accepts no second one, and ignores the user's settings. */
function x11vncArgs({ display, port, passwordFile }: VncSetup): string[] {
  return [
    ['-display', display.name, ...(display.authority === undefined ? [] : ['-auth', display.authority])],
    ['-localhost', '-no6', '-noipv6', '-rfbport', String(port)],
    // It removes the file as soon as it has read it.
    ['-passwdfile', `rm:${passwordFile}`],
    ['-once', '-timeout', '20', '-nevershared', '-dontdisconnect'],
    ['-norc', '-safer', '-nobell', '-noncache', '-xkb', '-repeat', '-xrandr'],
    ['-wait', '10', '-defer', '5', '-nowait_bog'],
  ].flat()
}

function tigerArgs({ display, port, passwordFile }: VncSetup): string[] {
  return [
    ['-display', display.name, '-localhost=1', '-UseIPv6=0', `-rfbport=${port}`],
    ['-SecurityTypes=VncAuth', `-PasswordFile=${passwordFile}`],
    ['-NeverShared=1', '-DisconnectClients=0', '-IdleTimeout=0', '-FrameRate=60'],
  ].flat()
}

/** As in vncpasswd: obfuscated with a public key, so only the file mode protects it. */
export function obscure(password: string): Buffer {
  // The bits of each byte are reversed compared with the DES key.
  const key = Buffer.from('e84ad660c4721ae0', 'hex')
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  const plain = Buffer.alloc(8)
  plain.write(password.slice(0, 8), 'latin1')
  return Buffer.concat([cipher.update(plain), cipher.final()])
}
