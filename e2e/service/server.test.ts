import { expect, test, vi } from 'vitest'
import { buildPrograms } from '../support/build.ts'
import { ROOT } from '../support/program.ts'
import { startSystemdMachine } from '../support/systemd-machine.ts'

const PORT = 8427
const HEALTH = `http://127.0.0.1:${PORT}/health/`

test('the unit of the server starts it as its own user, keeps its data private, restarts it, and stops it in order', async () => {
  buildPrograms()
  await using machine = await startSystemdMachine()
  const run = async (line: string) => {
    const { code, output } = await machine.run(line)
    expect({ line, code, output }).toMatchObject({ code: 0 })
    return output
  }
  await run('useradd --system --home-dir /opt/muster --shell /usr/sbin/nologin muster')
  // This clone, with a top folder that other users may read.
  await run(`mkdir -p /opt/muster /run/clone && mount -t tmpfs clone /run/clone && mkdir /run/clone/new /run/clone/work
      mount -t overlay -o lowerdir=${ROOT},upperdir=/run/clone/new,workdir=/run/clone/work clone /opt/muster
      chmod 755 /opt/muster`)
  await run('cp /opt/muster/deploy/systemd/muster.service /etc/systemd/system/')
  await run(`printf 'MUSTER_PORT=${PORT}\\nMUSTER_ADMIN_PASSWORD=correct-horse-24\\n' > /etc/muster.env`)
  await run('chmod 600 /etc/muster.env && systemctl daemon-reload && systemctl enable --now muster')
  const isHealthy = async () => (await fetch(HEALTH)).ok
  await vi.waitFor(async () => expect(await isHealthy()).toBe(true))
  const firstPid = await run('systemctl show --value --property MainPID muster')
  expect(await run('ps -o user= -p $(pgrep -u muster -f apps/server/src/main.ts)')).toBe('muster\n')
  expect(await run('stat -c "%U %a" /var/lib/muster /var/lib/muster/secret.key')).toBe(
    'muster 700\nmuster 600\n',
  )

  await run('pkill -KILL -u muster -f apps/server/src/main.ts')
  await vi.waitFor(async () => {
    expect(await run('systemctl show --value --property MainPID muster')).not.toBe(firstPid)
    expect(await isHealthy()).toBe(true)
  })
  await run('systemctl stop muster')
  await expect(fetch(HEALTH)).rejects.toThrow()
  expect(await run('systemctl show --value --property Result muster')).toBe('success\n')
})
