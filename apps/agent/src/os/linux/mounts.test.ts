import { expect, test } from 'vitest'
import { listNetworkMounts, parseMounts } from './mounts.ts'

const line = (root: string, mount: string, fstype: string, device: string) =>
  `30 1 8:1 ${root} ${mount} rw,relatime shared:1 - ${fstype} ${device} rw`

test('disks are listed without virtual ones', () => {
  const mounts = parseMounts(
    [
      line('/', '/', 'ext4', '/dev/sda2'),
      line('/', '/proc', 'proc', 'proc'),
      line('/', '/dev/shm', 'tmpfs', 'tmpfs'),
      line('/', '/boot/efi', 'vfat', '/dev/sda1'),
      line('/', '/srv/my\\040data', 'xfs', '/dev/mapper/vg-data'),
      line('/', '/snap/core/1', 'squashfs', '/dev/loop3'),
      line('/', '/mnt/iso', 'ext4', '/dev/loop4'),
      line('/', '/var/lib/docker/overlay2/x/merged', 'overlay', 'overlay'),
      line('/srv', '/var/chroot', 'ext4', '/dev/sda2'),
      line('/', '/home', 'nfs4', 'nas:/home'),
      line('/', '/mnt/again', 'xfs', '/dev/mapper/vg-data'),
      line('/', '/tank', 'zfs', 'tank'),
      line('/', '/tank/photos', 'zfs', 'tank/photos'),
      'nonsense',
      '',
    ].join('\n'),
  )
  expect(mounts.map(({ mount }) => mount)).toEqual(['/', '/tank', '/boot/efi', '/mnt/again'])
})

test('the root is always listed', () => {
  expect(parseMounts(line('/', '/', 'overlay', 'overlay'))).toEqual([
    { device: 'overlay', mount: '/', fstype: 'overlay' },
  ])
})

test('sub-volumes of one disk count once', () => {
  const mounts = parseMounts(
    [line('/@', '/', 'btrfs', '/dev/nvme0n1p2'), line('/@home', '/home', 'btrfs', '/dev/nvme0n1p2')].join(
      '\n',
    ),
  )
  expect(mounts.map(({ mount }) => mount)).toEqual(['/'])
})

test('network mounts are those that another machine or a program serves, or of an unknown type', () => {
  const mounts = listNetworkMounts(
    [
      line('/', '/', 'nfs', 'nas:/roots/pc12'),
      line('/', '/proc', 'proc', 'proc'),
      line('/', '/home', 'nfs4', 'nas:/home'),
      line('/', '/mnt/my\\040share', 'cifs', '//nas/share'),
      line('/', '/mnt/s3', 'fuse.s3fs', 's3fs'),
      line('/', '/net', 'autofs', 'systemd-1'),
      line('/', '/mnt/new', 'futurefs', 'x'),
      line('/', '/mnt/usb', 'fuseblk', '/dev/sdb1'),
      line('/', '/srv', 'nfs', 'nas:/srv'),
      line('/', '/srv', 'ext4', '/dev/sdc1'),
      line('/', '/var/lib/docker/overlay2/x/merged', 'overlay', 'overlay'),
      'nonsense',
    ].join('\n'),
  )
  expect([...mounts]).toEqual(['/home', '/mnt/my share', '/mnt/s3', '/net', '/mnt/new'])
})
