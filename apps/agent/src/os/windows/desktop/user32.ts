import type { Call, Handle } from '../win32.ts'
import { bindDesktop } from './bind-desktop.ts'

/** The functions of user32 that a desktop needs, with their parameters in order. Structures are buffers. */
export interface User32 {
  getDc: (window: null) => Handle
  releaseDc: (window: null, context: Handle) => number
  metric: (index: number) => number
  listDevices: (device: null, index: number, found: Buffer, flags: 0) => number
  readMode: (device: string, mode: number, found: Buffer, flags: 0) => number
  setDpiAwareness: (context: number) => number
  cursorInfo: (info: Buffer) => number
  iconInfo: (icon: Handle, info: Buffer) => number
  loadCursor: (module: 0, name: number) => Handle
  drawIcon: Call<
    [
      context: Handle,
      x: 0,
      y: 0,
      icon: Handle,
      width: number,
      height: number,
      step: 0,
      brush: null,
      flags: number,
    ]
  >
  lastInput: (info: Buffer) => number
  foregroundWindow: () => Handle
  threadOf: (window: Handle, pid: null) => number
  layoutOf: (thread: number) => Handle
  scanKey: (character: number, layout: Handle) => number
  mapKey: (key: number, kind: number, layout: Handle) => number
  keyState: (key: number) => number
  sendInput: (count: number, inputs: Buffer, size: number) => number
  openInputDesktop: (flags: 0, inherit: 0, access: number) => Handle
  closeDesktop: (desktop: Handle) => number
  setThreadDesktop: (desktop: Handle) => number
  readObjectName: Call<[object: Handle, index: number, name: Buffer, size: number, needed: null]>
  showMessage: (owner: null, text: string, title: string, flags: number) => number
  clipboardNumber: () => number
  hasFormat: (format: number) => number
  openClipboard: (window: null) => number
  closeClipboard: () => number
  emptyClipboard: () => number
  readClipboard: (format: number) => Handle
  writeClipboard: (format: number, memory: Handle) => Handle
}

const DECLARATIONS = {
  getDc: 'uintptr_t __stdcall GetDC(void *)',
  releaseDc: 'int __stdcall ReleaseDC(void *, uintptr_t)',
  metric: 'int __stdcall GetSystemMetrics(int)',
  listDevices: 'int __stdcall EnumDisplayDevicesW(void *, uint32_t, uint8_t *, uint32_t)',
  readMode: 'int __stdcall EnumDisplaySettingsExW(str16, uint32_t, uint8_t *, uint32_t)',
  setDpiAwareness: 'int __stdcall SetProcessDpiAwarenessContext(intptr_t)',
  cursorInfo: 'int __stdcall GetCursorInfo(uint8_t *)',
  iconInfo: 'int __stdcall GetIconInfo(uintptr_t, uint8_t *)',
  loadCursor: 'uintptr_t __stdcall LoadCursorW(uintptr_t, uintptr_t)',
  drawIcon: 'int __stdcall DrawIconEx(uintptr_t, int, int, uintptr_t, int, int, uint32_t, void *, uint32_t)',
  lastInput: 'int __stdcall GetLastInputInfo(uint8_t *)',
  foregroundWindow: 'uintptr_t __stdcall GetForegroundWindow()',
  threadOf: 'uint32_t __stdcall GetWindowThreadProcessId(uintptr_t, void *)',
  layoutOf: 'uintptr_t __stdcall GetKeyboardLayout(uint32_t)',
  scanKey: 'int16_t __stdcall VkKeyScanExW(uint16_t, uintptr_t)',
  mapKey: 'uint32_t __stdcall MapVirtualKeyExW(uint32_t, uint32_t, uintptr_t)',
  keyState: 'int16_t __stdcall GetKeyState(int)',
  sendInput: 'uint32_t __stdcall SendInput(uint32_t, uint8_t *, int)',
  openInputDesktop: 'uintptr_t __stdcall OpenInputDesktop(uint32_t, int, uint32_t)',
  closeDesktop: 'int __stdcall CloseDesktop(uintptr_t)',
  setThreadDesktop: 'int __stdcall SetThreadDesktop(uintptr_t)',
  readObjectName: 'int __stdcall GetUserObjectInformationW(uintptr_t, int, uint8_t *, uint32_t, void *)',
  showMessage: 'int __stdcall MessageBoxW(void *, str16, str16, uint32_t)',
  clipboardNumber: 'uint32_t __stdcall GetClipboardSequenceNumber()',
  hasFormat: 'int __stdcall IsClipboardFormatAvailable(uint32_t)',
  openClipboard: 'int __stdcall OpenClipboard(void *)',
  closeClipboard: 'int __stdcall CloseClipboard()',
  emptyClipboard: 'int __stdcall EmptyClipboard()',
  readClipboard: 'uintptr_t __stdcall GetClipboardData(uint32_t)',
  writeClipboard: 'uintptr_t __stdcall SetClipboardData(uint32_t, uintptr_t)',
}

export const loadUser32 = () => bindDesktop<User32>('user32.dll', DECLARATIONS)
