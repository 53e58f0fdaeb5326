import { AgentError } from '../../errors.ts'
import { DescribedPorts } from '../listed-processes.ts'
import { bindLibrary, type Call, loadErrors } from './win32.ts'

type TableCall = Call<[table: Buffer, size: [number], sorted: 0, family: number, kind: number, reserved: 0]>
interface Iphlpapi {
  tcp: TableCall
  udp: TableCall
}
const TABLE = '(uint8_t *, _Inout_ uint32_t *, int, uint32_t, int, uint32_t)'
const IPHLPAPI: Record<keyof Iphlpapi, string> = {
  tcp: `uint32_t __stdcall GetExtendedTcpTable${TABLE}`,
  udp: `uint32_t __stdcall GetExtendedUdpTable${TABLE}`,
}

interface Table {
  protocol: 'tcp' | 'udp'
  /** AF_INET or AF_INET6 */
  family: 2 | 23
  /** TCP_TABLE_OWNER_PID_LISTENER or UDP_TABLE_OWNER_PID */
  kind: number
  /** The size of a row, and the offsets in it. */
  row: number
  address: number
  port: number
  pid: number
}
/** MIB_TCPROW_OWNER_PID, MIB_TCP6ROW_OWNER_PID, MIB_UDPROW_OWNER_PID, MIB_UDP6ROW_OWNER_PID. */
export const TABLES: Table[] = [
  { protocol: 'tcp', family: 2, kind: 3, row: 24, address: 4, port: 8, pid: 20 },
  { protocol: 'tcp', family: 23, kind: 3, row: 56, address: 0, port: 20, pid: 52 },
  { protocol: 'udp', family: 2, kind: 1, row: 12, address: 0, port: 4, pid: 8 },
  { protocol: 'udp', family: 23, kind: 1, row: 28, address: 0, port: 20, pid: 24 },
]
const FIRST_BYTES = 16 * 1024
const TOO_SMALL = 122
const MAX_TRIES = 10
/** A machine without IPv6. */
const NOT_SUPPORTED = 50

let loaded: Promise<Iphlpapi> | undefined

/** Ports that processes listen on. Source: Windows API, "IP Helper". */
export async function readListeningPorts(): Promise<DescribedPorts> {
  const functions = await (loaded ??= bindLibrary<Iphlpapi>('iphlpapi.dll', IPHLPAPI))
  const { describe } = await loadErrors()
  const ports = new DescribedPorts()
  for (const table of TABLES) {
    const found = readTable(functions[table.protocol], table)
    if (typeof found !== 'number') addPorts(ports, table, found)
    else if (found !== NOT_SUPPORTED)
      throw new AgentError(`Failed to list the listening ports: ${describe(found)}`)
  }
  return ports
}

/** The table, or an error number. */
function readTable(read: TableCall, { family, kind }: Table): Buffer | number {
  const size: [number] = [FIRST_BYTES]
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // Room for connections that are opened meanwhile.
    const table = Buffer.alloc(size[0] + FIRST_BYTES)
    size[0] = table.length
    const error = read(table, size, 0, family, kind, 0)
    if (error === 0) return table
    if (error !== TOO_SMALL) return error
  }
  return TOO_SMALL
}

/** A table: the number of its rows, then the rows. Ports are in network order. */
export function addPorts(ports: DescribedPorts, { protocol, family, ...at }: Table, table: Buffer): void {
  const count = Math.min(table.readUInt32LE(), Math.floor((table.length - 4) / at.row))
  for (let start = 4; start < 4 + count * at.row; start += at.row) {
    const address = table.subarray(start + at.address)
    const host = family === 2 ? address.subarray(0, 4).join('.') : describeIpv6(address)
    const port = table.readUInt16BE(start + at.port)
    ports.add(table.readUInt32LE(start + at.pid), protocol, `${host}:${port}`)
  }
}

/** In brackets, with zeros left out. */
function describeIpv6(address: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => address.readUInt16BE(index * 2).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname
}
