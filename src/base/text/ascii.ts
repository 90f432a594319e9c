export const LINE_FEED = 0x0a;
export const RETURN = 0x0d;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const BACKSLASH = 0x5c;
