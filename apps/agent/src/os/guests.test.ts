import { expect, test } from 'vitest'
import { givenPrograms } from '../testing/given-programs.ts'
import { parseDocker, parsePodman, parseVirsh, readGuests } from './guests.ts'

const container = (more: object) =>
  JSON.stringify({
    Command: '"/docker-entrypoint.sh nginx"',
    CreatedAt: '2026-11-20 09:12:44 +0100 CET',
    ID: '4f1c8b6b2a0d',
    Image: 'nginx:1.27',
    Labels: 'maintainer=NGINX',
    LocalVolumes: '0',
    Mounts: '',
    Names: 'web',
    Networks: 'bridge',
    Ports: '0.0.0.0:80->80/tcp',
    RunningFor: '5 days ago',
    Size: '0B',
    State: 'running',
    Status: 'Up 5 days',
    ...more,
  })

test('containers of Docker, without texts that change by the minute', () => {
  const output = [
    container({}),
    container({ Names: 'api', Status: 'Up 3 hours (unhealthy)' }),
    container({ Names: 'job', State: 'exited', Status: 'Exited (137) 2 weeks ago' }),
    container({ Names: 'done', State: 'exited', Status: 'Exited (0) 2 weeks ago' }),
    container({ Names: 'loop', State: 'restarting', Status: 'Restarting (1) 3 seconds ago' }),
  ].join('\n')
  expect(
    parseDocker(`${output}\n`)?.map(({ name, image, state, detail }) => [name, image, state, detail]),
  ).toEqual([
    ['web', 'nginx:1.27', 'running', ''],
    ['api', 'nginx:1.27', 'running', 'unhealthy'],
    ['job', 'nginx:1.27', 'stopped', 'exit code 137'],
    ['done', 'nginx:1.27', 'stopped', ''],
    ['loop', 'nginx:1.27', 'restarting', ''],
  ])
  expect(parseDocker('')).toEqual([])
  expect(parseDocker(container({ Names: ['web'] }))).toBeUndefined()
  expect(() => parseDocker('CONTAINER ID   IMAGE')).toThrow('docker printed no JSON.')
  expect(() => parseDocker('{}')).toThrow('docker printed another list than expected.')
})

test('containers of Podman', () => {
  const one = {
    AutoRemove: false,
    Command: ['nginx', '-g', 'daemon off;'],
    Id: '4f1c8b6b2a0d',
    Image: 'docker.io/library/nginx:latest',
    Names: ['web'],
    Pid: 4711,
    ExitCode: 0,
    Exited: false,
    State: 'running',
    Status: 'Up 5 days',
  }
  const output = JSON.stringify([one, { ...one, Names: ['job'], State: 'exited', ExitCode: 1 }])
  expect(parsePodman(output)).toEqual([
    { name: 'web', image: 'docker.io/library/nginx:latest', state: 'running', detail: '' },
    { name: 'job', image: 'docker.io/library/nginx:latest', state: 'stopped', detail: 'exit code 1' },
  ])
  expect(parsePodman('[]\n')).toEqual([])
  expect(() => parsePodman('')).toThrow('podman printed no JSON.')
})

test('virtual machines of libvirt', () => {
  const output =
    "Domain: 'web 1'\n  state.state=1\n  state.reason=1\n\nDomain: 'old'\n  state.state=5\n  state.reason=2\n\nDomain: 'new'\n  state.state=9\n\n"
  expect(parseVirsh(output).map(({ name, state }) => [name, state])).toEqual([
    ['web 1', 'running'],
    ['old', 'stopped'],
    ['new', 'unknown'],
  ])
  expect(parseVirsh('\n')).toEqual([])
  expect(() => parseVirsh('what?')).toThrow('virsh printed: what?')
})

test('each installed runtime is listed in order of names, and one that fails says why', async () => {
  const sentence =
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'
  givenPrograms({
    docker: `echo "${sentence}" >&2; exit 1`,
    podman: `echo '[{"Names":["b"],"Image":"x","State":"running"},{"Names":["a"],"Image":"x","State":"paused"}]'`,
    virsh: `test "$*" = '--readonly --connect qemu:///system domstats --state' || exit 2`,
  })
  expect(await readGuests()).toEqual([
    { runtime: 'docker', problem: sentence, guests: [], left_out: 0 },
    {
      runtime: 'podman',
      problem: null,
      guests: [
        { name: 'a', image: 'x', state: 'paused', detail: '' },
        { name: 'b', image: 'x', state: 'running', detail: '' },
      ],
      left_out: 0,
    },
    { runtime: 'libvirt', problem: null, guests: [], left_out: 0 },
  ])
})
