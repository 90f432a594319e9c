declare module 'saxen' {
  type Decode = (text: string) => string;
  export class Parser {
    on(
      event: 'openTag',
      callback: (name: string, attributes: () => Record<string, string>, decode: Decode) => void,
    ): this;
    on(event: 'closeTag', callback: (name: string) => void): this;
    on(event: 'text' | 'cdata', callback: (text: string, decode: Decode) => void): this;
    on(event: 'attention', callback: (declaration: string) => void): this;
    on(event: 'error', callback: (error: Error) => void): this;
    ns(prefixes: Record<string, string>): this;
    parse(xml: string): this;
  }
}
