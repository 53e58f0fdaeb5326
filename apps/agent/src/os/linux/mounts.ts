import { readFileSync } from 'node:fs'
import type { Disk } from '@muster/contract/agent/facts'
import type { z } from 'zod'
import { measureDisks } from '../measure-disk.ts'

export interface Mount {
  device: string
  mount: string
  fstype: string
}

/** Local file systems. Network ones are left out: a server that does not respond would block the agent. */
const LOCAL = new Set([
  'ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'zfs', 'f2fs', 'jfs', 'reiserfs', 'bcachefs', 'nilfs2',
  'vfat', 'exfat', 'ntfs', 'ntfs3', 'fuseblk', 'hfs', 'hfsplus', 'apfs', 'ufs', 'udf', 'msdos',
]) // prettier-ignore

/** File systems of the kernel itself, or made of local ones. */
const KERNEL = new Set([
  'bdev', 'binder', 'binfmt_misc', 'bpf', 'cgroup', 'cgroup2', 'configfs', 'debugfs', 'devpts', 'devtmpfs',
  'efivarfs', 'functionfs', 'fusectl', 'hugetlbfs', 'mqueue', 'nsfs', 'pipefs', 'proc', 'pstore', 'ramfs', 'resctrl',
  'rootfs', 'rpc_pipefs', 'securityfs', 'selinuxfs', 'smackfs', 'sockfs', 'sysfs', 'tmpfs', 'tracefs',
  'aufs', 'cramfs', 'ecryptfs', 'erofs', 'hfs', 'iso9660', 'minix', 'overlay', 'overlayfs', 'romfs', 'squashfs', 'ubifs',
]) // prettier-ignore

/**
 * Mount points of file systems that another machine or a program serves (NFS, SMB, FUSE), or of an unknown type: when the
 * server is gone, calls on them may never return. The root is never one of them.
 */
export function listNetworkMounts(mountInfo: string): Set<string> {
  const mounts = new Set<string>()
  for (const line of mountInfo.split('\n')) {
    const [own, rest] = line.split(' - ')
    const mount = own?.split(' ')[4]
    const fstype = rest?.split(' ')[0]
    if (mount === undefined || fstype === undefined || mount === '/') continue
    // The later of two mounts on one path hides the earlier one.
    mounts.delete(unescapeOctal(mount))
    if (!LOCAL.has(fstype) && !KERNEL.has(fstype)) mounts.add(unescapeOctal(mount))
  }
  return mounts
}

/** Mounted disks without duplicates. The root is always listed, so that a container shows its disk too. */
export function parseMounts(mountInfo: string): Mount[] {
  const byMount = new Map<string, Mount>()
  for (const line of mountInfo.split('\n')) {
    // 27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
    const [own, rest] = line.split(' - ')
    const [, , , root, mount] = own?.split(' ') ?? []
    const [fstype, device] = rest?.split(' ') ?? []
    if (mount === undefined || fstype === undefined || device === undefined) continue
    // The later of two mounts on one path hides the earlier one.
    byMount.delete(unescapeOctal(mount))
    const isBind = root !== '/' && fstype !== 'btrfs' && fstype !== 'zfs'
    if (mount !== '/' && (!LOCAL.has(fstype) || isBind || device.startsWith('/dev/loop'))) continue
    byMount.set(unescapeOctal(mount), { device: unescapeOctal(device), mount: unescapeOctal(mount), fstype })
  }
  return keepFirstOfEachDevice([...byMount.values()])
}

/** The device of the root file system, and its numbers as /sys/dev/block has them. */
export function findRootMount(mountInfo: string): { device: string; numbers: string } | undefined {
  const lines = mountInfo.split('\n').map((line) => line.split(' '))
  // The later of two mounts on one path hides the earlier one.
  const fields = lines.findLast(([, , , , mount]) => mount === '/')
  const device = fields?.[fields.indexOf('-') + 2]
  return device === undefined ? undefined : { device: unescapeOctal(device), numbers: fields?.[2] ?? '' }
}

/** All mount points of any type. */
export function listMountPoints(mountInfo: string): Set<string> {
  const places = mountInfo.split('\n').flatMap((line) => {
    const mount = line.split(' ')[4]
    return mount === undefined ? [] : [unescapeOctal(mount)]
  })
  return new Set(places)
}

export async function readLinuxDisks(): Promise<z.infer<typeof Disk>[]> {
  const mounts = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
  return measureDisks(mounts)
}

function keepFirstOfEachDevice(mounts: Mount[]): Mount[] {
  // The shortest path represents the device. Sub-volumes and further mounts show the same space again.
  const sorted = mounts.toSorted((a, b) => a.mount.length - b.mount.length)
  const seen = new Set<string>()
  return sorted.filter(({ device, fstype }) => {
    // ZFS datasets are devices of their own and share the space of their pool.
    const space = fstype === 'zfs' ? (device.split('/')[0] ?? device) : device
    if (seen.has(space)) return false
    seen.add(space)
    return true
  })
}

function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )
}
