import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { shellInput } from '../../testing/test-server.ts'
import { os } from '../index.ts'
import { findLinuxSignedIn } from './signed-in.ts'
import { findLinuxUser } from './users.ts'

const NOBODY = await findLinuxUser('nobody')
const uid = NOBODY?.uid ?? 0
const isRoot = process.getuid?.() === 0

/** The files of a system on which "nobody" is signed in to a desktop, and another user works too. */
function givenDesktop(): string {
  const root = givenFolder()
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  write('run/systemd/sessions/2', `USER=nobody\nUID=${uid}\nACTIVE=1\nSTATE=active\nTYPE=x11\nCLASS=user\n`)
  write(`run/user/${uid}/bus`, '')
  write('proc/100/environ', 'DISPLAY=:9\0XAUTHORITY=/srv/other\0')
  write('proc/101/environ', 'PATH=/bin\0')
  write('proc/102/environ', 'DISPLAY=:0\0XAUTHORITY=/srv/key\0LD_PRELOAD=/tmp/x\0WAYLAND_DISPLAY=wayland-0\0')
  write('proc/version', '')
  if (isRoot) for (const pid of [101, 102]) chownSync(join(root, `proc/${pid}`), uid, uid)
  return `${root}/`
}

/** An agent that finds the signed-in user in these files. */
const givenSystem = (root: string) =>
  givenAgent({ agent: { os: { ...os, findSignedIn: () => findLinuxSignedIn(root) } } })

test('the signed-in user is found, with the variables of the desktop', async () => {
  const root = givenDesktop()
  if (!isRoot) return expect(findLinuxSignedIn(root)).rejects.toThrow('not as root')
  expect(await findLinuxSignedIn(root)).toEqual({
    user: NOBODY,
    env: {
      XDG_RUNTIME_DIR: `/run/user/${uid}`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=/run/user/${uid}/bus`,
      DISPLAY: ':0',
      XAUTHORITY: '/srv/key',
      WAYLAND_DISPLAY: 'wayland-0',
    },
  })
})

test('commands and scripts run as the signed-in user, in the session, and end as a whole', async () => {
  const { server } = await givenSystem(givenDesktop())
  server.runShell(1, 'id -un; echo $USER $DISPLAY $XDG_RUNTIME_DIR; echo open > /dev/stderr', {
    run_as_user: { signed_in: true },
  })
  const result = await server.result(1)
  if (!isRoot) return expect(result).toMatchObject({ outcome: 'refused' })
  expect(result).toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(server.outputOf(1)).toBe(`nobody\nnobody :0 /run/user/${uid}\n`)
  const { env_vars, timeout_seconds, output_cap_bytes } = shellInput('')
  const script = {
    interpreter: 'shell' as const,
    body: 'id -un; stat -c "%U %a" "$0"; sleep 300 & sleep 300',
    args: [],
    run_as_user: { signed_in: true as const },
    env_vars,
    timeout_seconds,
    output_cap_bytes,
  }
  server.command(server.sign('run-script', script, { payload: { history_id: 2 } }))
  await server.until(() => server.outputOf(2) === 'nobody\nnobody 700\n')
  server.command(server.sign('cancel', { history_id: 2 }))
  expect(await server.result(2)).toMatchObject({ outcome: 'cancelled' })
})

test('nothing runs if no user is signed in', async () => {
  const root = givenFolder()
  mkdirSync(join(root, 'run/systemd/sessions'), { recursive: true })
  const { server, folder } = await givenSystem(`${root}/`)
  server.runShell(1, `touch ${folder}/ran`, { run_as_user: { signed_in: true } })
  expect(await server.result(1)).toMatchObject({
    outcome: 'refused',
    reason: 'No user is signed in at this machine.',
  })
  expect(server.reportsOf(1).map(({ kind }) => kind)).not.toContain('started')
})
