import express from "express";
import { adopt } from "../../http/express.ts";

// In a module that is imported first: a router may be created when the file that contains it is imported.
adopt(express);
